"""A page enters; what axe finds wrong with it leaves, one line for each rule and element.

axe stands in the page's world before its scripts do, put there by the browser: the policy of content would refuse it
as a script of the page.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
# Rule -> why it is switched off. All others count: WCAG A and AA, and what axe calls best practice.
OFF: dict[str, str] = {}


def violations(page: Page) -> list[str]:
    found = page.evaluate(
        """async (off) => {
          const rules = Object.fromEntries(off.map((rule) => [rule, { enabled: false }]));
          const { violations } = await axe.run(document, { rules, resultTypes: ["violations"] });
          return violations.flatMap(({ id, help, nodes }) =>
            nodes.map(({ target, any }) =>
              `${id} (${help}): ${target.join(" ")} ${any.map((one) => one.message).join("; ")}`));
        }""",
        list(OFF),
    )
    return [str(line) for line in found]

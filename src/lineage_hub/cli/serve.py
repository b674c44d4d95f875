"""Settings enter; a hub runs until it is told to stop."""

import gc
import sys

from lineage_hub.cli.app import app
from lineage_hub.cli.options import ALL, HUB, takes_settings
from lineage_hub.errors import ExtraMissing
from lineage_hub.settings import Settings

# What libraries import if it is there, and a hub has no use for. `None` is how Python spells that it isn't.
UNUSED = (
    "pydantic.v1",  # FastAPI looks whether a parameter is a model of pydantic 1; none of ours is
    "rich",  # structlog's pretty tracebacks; ours are plain, since local variables hold secrets
    "colorama",  # structlog's colours on Windows
)


@app.command(
    epilog="Example: lineage-hub serve --port 8080 --data ./lineage — then OPENLINEAGE_URL=http://127.0.0.1:8080"
)
@takes_settings(*(name for name in ALL if name not in HUB))
def serve(settings: Settings) -> None:
    """Start a hub on embedded defaults; Ctrl-C or SIGTERM stops it after the requests in flight."""
    # Nearly all that a start costs is imports; looking for cycles while they grow finds none. `run` turns it on again.
    gc.disable()
    for unused in UNUSED:
        sys.modules.setdefault(unused, None)  # type: ignore[arg-type]
    try:
        from lineage_hub.logs import set_up_logs
        from lineage_hub.server.serve import run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lineage_hub"):
            raise
        raise ExtraMissing.of("server", "lineage-hub serve") from None
    set_up_logs(settings.log_level, settings.log_format)
    run(settings)

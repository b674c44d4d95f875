"""The page at /docs: every route, to read and to try. Its scripts come from a package, so it needs no internet."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response
from fastapi.openapi.docs import get_swagger_ui_html

router = APIRouter(include_in_schema=False)
SCRIPT, STYLE, ICON = "swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"
TYPES = {SCRIPT: "text/javascript", STYLE: "text/css", ICON: "image/png"}


@router.get("/docs")
async def docs_page() -> Response:
    return get_swagger_ui_html(
        openapi_url="openapi.json",
        title="Lineage Hub: every route",
        swagger_js_url=f"docs/{SCRIPT}",
        swagger_css_url=f"docs/{STYLE}",
        swagger_favicon_url=f"docs/{ICON}",
    )


@router.get("/docs/{name}")
def docs_file(
    name: Annotated[Literal["swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"], Path()],
) -> Response:
    body = (files("fastapi_swagger") / "resources" / name).read_bytes()
    return Response(body, media_type=TYPES[name], headers={"Cache-Control": "max-age=86400"})

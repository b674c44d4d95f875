"""Settings enter; a hub runs until it is told to stop."""

import sys

from lineage_hub.cli.app import app
from lineage_hub.cli.options import ALL, HUB, takes_settings
from lineage_hub.errors import ExtraMissing
from lineage_hub.settings import Settings


@app.command(
    epilog="Example: lineage-hub serve --port 8080 --data ./lineage — then OPENLINEAGE_URL=http://127.0.0.1:8080"
)
@takes_settings(*(name for name in ALL if name not in HUB))
def serve(settings: Settings) -> None:
    """Start a hub on embedded defaults; Ctrl-C or SIGTERM stops it after the requests in flight."""
    # FastAPI looks whether a parameter is a model of pydantic 1, and for that imports all of it; none of ours is.
    sys.modules.setdefault("pydantic.v1", None)  # type: ignore[arg-type]
    try:
        from lineage_hub.logs import set_up_logs
        from lineage_hub.server.serve import run
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("lineage_hub"):
            raise
        raise ExtraMissing.of("server", "lineage-hub serve") from None
    set_up_logs(settings.log_level, settings.log_format)
    run(settings)

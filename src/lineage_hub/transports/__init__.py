"""Ways for events to leave a program: `Transport.send` returns once the other side has confirmed.

TransportFactory().create({"type": "http", "url": "http://127.0.0.1:8000"}).send(event)
"""

from lineage_hub.errors import Terminal, Transient
from lineage_hub.transports.base import Refused, Transport
from lineage_hub.transports.config import Config
from lineage_hub.transports.factory import TransportFactory

__all__ = ["Config", "Refused", "Terminal", "Transient", "Transport", "TransportFactory"]

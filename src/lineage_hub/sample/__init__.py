"""A seed and an end time enter; a week of an invented bookshop's OpenLineage events leaves, in sending order.

Only the standard library is used, so that the sample costs nothing to import and needs no extra.
"""

from lineage_hub.sample.shop_week import HEADLINE, Week, shop_week

__all__ = ["HEADLINE", "Week", "shop_week"]

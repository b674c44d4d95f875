select id as order_id, customer_id, amount, ordered_on
from {{ source('raw', 'raw_orders') }}

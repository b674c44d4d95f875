select customers.customer_id, customers.customer_name, sum(orders.amount) as total
from {{ ref('stg_customers') }} as customers
join {{ ref('stg_orders') }} as orders on orders.customer_id = customers.customer_id
group by customers.customer_id, customers.customer_name

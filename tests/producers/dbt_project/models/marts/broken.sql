select cast(customer_name as integer) as number
from {{ ref('stg_customers') }}

select number from {{ ref('broken') }}

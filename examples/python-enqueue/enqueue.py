"""Saves orders and requests a task for each, in one transaction.

DATABASE_URL names the database of the app, in which Pawl has its schema.
"""

import os
import sys

import psycopg
from psycopg.types.json import Jsonb

ENQUEUE = """
    select pawl.enqueue(org => 'main', lifecycle => 'board', input => %(input)s,
                        key => %(key)s, member => 'shop')
"""


def place_order(connection, order_id, item):
    """Saves an order with its task. If either fails, neither is saved."""
    with connection.transaction():
        connection.execute("insert into shop_order (id, item) values (%s, %s)", (order_id, item))
        task = {"title": f"Pack order {order_id}", "description": f"One {item}"}
        # The key makes the request safe to repeat: there is one task for each order.
        connection.execute(ENQUEUE, {"input": Jsonb(task), "key": f"order-{order_id}"})


def main():
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        for argument in sys.argv[1:]:
            order_id, item = argument.split("=", 1)
            try:
                place_order(connection, int(order_id), item)
                print(f"order {order_id} saved, its task requested")
            except psycopg.Error as error:
                hint = f" ({error.diag.message_hint})" if error.diag.message_hint else ""
                print(f"order {order_id} not saved: {error.diag.message_primary}{hint}")


if __name__ == "__main__":
    main()

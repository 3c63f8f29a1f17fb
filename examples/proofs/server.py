"""A checkout with Python's standard library: orders in SQLite, a request of the buyer, and a worker."""

import json
import os
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

env = os.environ
database = sqlite3.connect("orders.db", check_same_thread=False, isolation_level=None)
database.execute(
    "CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, state TEXT, sends INTEGER, payment TEXT)"
)
# One request at a time, so one order has one request under way.
lock = threading.RLock()
token = None


def call(method, url, body=None, headers={}):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        url, data, {"content-type": "application/json", **headers}, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=1) as response:
            return response.status, json.load(response)["data"]
    except urllib.error.HTTPError as error:
        return error.code, {}


def authorised(method, path, body=None, headers={}):
    global token
    if token is None:
        credentials = {"client_id": env["MANILLA_CLIENT_ID"], "client_secret": env["MANILLA_CLIENT_SECRET"]}
        _, data = call("POST", env["MANILLA_AUTH_URL"] + "/auth/application/token", credentials)
        token = data["access_token"]
    bearer = {"authorization": "Bearer " + token}
    status, data = call(method, env["MANILLA_BASE_URL"] + path, body, {**headers, **bearer})
    if status == 401:
        token = None
    return status, data


def find(order):
    return database.execute("SELECT state, sends, payment FROM orders WHERE id = ?", [order]).fetchone()


def change(order, column, value):
    database.execute(f"UPDATE orders SET {column} = ? WHERE id = ?", [value, order])


PAYMENT = {
    "operation": "COLLECTION", "country": "BJ", "amount": "1500", "currency": "XOF",
    "payment_method": "mtn_momo", "payer": {"phone_number": "+2290161234567"},
}


def send(order, sends):
    # Counted before it is sent, under a key that is derived from the order.
    change(order, "sends", sends + 1)
    status, data = authorised("POST", "/payments", PAYMENT, {"idempotency-key": "order:" + order})
    if status == 201 and data.get("amount") == "1500.0000":
        change(order, "payment", data["id"])
    elif status == 422:
        # A refusal says nothing about an earlier request.
        change(order, "state", "not paid" if sends == 0 else "review")


def read(order, payment):
    status, data = authorised("GET", "/payments/" + payment)
    if status == 200 and data["id"] == payment and data["status"] != "PENDING":
        change(order, "state", "paid" if data["status"] == "COMPLETED" else "review")


def step(order):
    with lock:
        state, sends, payment = find(order)
        if state != "open":
            return
        try:
            send(order, sends) if payment is None else read(order, payment)
        except Exception as error:
            print(error, flush=True)


def work():
    while True:
        for (order,) in database.execute("SELECT id FROM orders WHERE state = 'open'").fetchall():
            step(order)
        time.sleep(0.2)


class Shop(BaseHTTPRequestHandler):
    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        order = self.path.split("/")[2]
        database.execute("INSERT INTO orders VALUES (?, 'open', 0, NULL) ON CONFLICT DO NOTHING", [order])
        step(order)
        self.answer(202, {"order": order})

    def do_GET(self):
        row = find(self.path.split("/")[2])
        self.answer(404 if row is None else 200, {"state": row and row[0]})

    def log_message(self, *_):
        pass


threading.Thread(target=work, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(env["PORT"])), Shop).serve_forever()

"""Starts the emulator with one fault mended.

Fault: it starts a Lambda process for every request that arrives while others are being answered, without an upper limit.
Two hundred at once starve it, and each other, until every call times out. Here a function has at most so many processes,
and further requests wait for one of them, as they would for an execution environment. Nothing is throttled.
"""

import os
import threading

from ministack.app import main
from ministack.services import lambda_svc

workers_max = int(os.environ.get("SLUICE_WORKERS_MAX", "10"))
gates: dict[str, threading.BoundedSemaphore] = {}
gates_lock = threading.Lock()
dispatch = lambda_svc._execute_function_dispatch


def dispatch_in_turn(func, config, event, request_id, started):
    with gates_lock:
        gate = gates.setdefault(config.get("FunctionName", ""), threading.BoundedSemaphore(workers_max))
    with gate:
        return dispatch(func, config, event, request_id, started)


lambda_svc._execute_function_dispatch = dispatch_in_turn
main()

"""What is done to LocalStack while it starts on this machine itself. Each function stands for one fault."""

from __future__ import annotations

import logging
import os
import threading
from collections import defaultdict
from typing import Any

from localstack.runtime import hooks
from localstack.utils.patch import patch

LOG = logging.getLogger(__name__)


@hooks.on_runtime_create()
def bind_loopback() -> None:
    """Fault: it listens on every address of the machine, whatever GATEWAY_LISTEN says. Here on the loopback only."""
    from twisted.internet.endpoints import TCP4ServerEndpoint

    @patch(TCP4ServerEndpoint.__init__)
    def on_loopback(init: Any, self: Any, reactor: Any, port: int, *_args: Any, **_kwargs: Any) -> None:
        init(self, reactor, port, interface="127.0.0.1")


@hooks.on_infra_start()
def forward_dynamodb() -> None:
    """
    Not a fault: LocalStack's own DynamoDB is a Java program that it downloads. With DYNAMODB_LOCAL_PORT set, what answers
    at that port is used, and neither started nor stopped from here.
    """
    from localstack import config
    from localstack.services.dynamodb.server import DynamodbServer

    if not config.DYNAMODB_LOCAL_PORT:
        return

    @patch(DynamodbServer.start_dynamodb)
    def is_there(_start: Any, _self: Any) -> bool:
        return True

    @patch(DynamodbServer.stop_dynamodb)
    def leave(_stop: Any, _self: Any) -> None:
        return None

    LOG.warning("DynamoDB is what answers at port %s.", config.DYNAMODB_LOCAL_PORT)


@hooks.on_infra_start()
def take_turns() -> None:
    """
    Fault: a process is started for every request that arrives while others are being answered. A function has at most
    SLUICE_WORKERS_MAX here, and further requests wait for one, as they would for an execution environment.
    """
    from localstack.services.lambda_.invocation.version_manager import LambdaVersionManager

    workers_max = int(os.environ.get("SLUICE_WORKERS_MAX", "10"))
    gates: dict[str, threading.BoundedSemaphore] = defaultdict(lambda: threading.BoundedSemaphore(workers_max))
    gates_lock = threading.Lock()

    @patch(LambdaVersionManager.invoke)
    def in_turn(invoke: Any, self: Any, **arguments: Any) -> Any:
        with gates_lock:
            gate = gates[self.function_arn]
        with gate:
            return invoke(self, **arguments)


@hooks.on_infra_start()
def mend() -> None:
    from sluice_localstack import mends

    mends.apply()

"""The executor plugin: LocalStack's Lambda runs each execution environment as a `Worker` instead of a container."""

from __future__ import annotations

import logging
import os
import shutil
import time
from typing import Any

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin
from localstack.services.lambda_.invocation.runtime_executor import RuntimeExecutor

from sluice_localstack.worker import InitError, Invocation, Outcome, Worker

LOG = logging.getLogger(__name__)

HOST = "127.0.0.1"


class ProcessRuntimeExecutor(RuntimeExecutor):
    """One environment. Its process is replaced at the next invocation after one that timed out or crashed."""

    def __init__(self, id: str, function_version: FunctionVersion) -> None:
        super().__init__(id, function_version)
        self._environment: dict[str, str] = {}
        self._worker: Worker | None = None

    def start(self, env_vars: dict[str, str]) -> None:
        node = shutil.which("node")
        if node is None:
            raise RuntimeError("There is no node on the PATH of LocalStack, which runs the Lambda functions.")
        # Nothing of LocalStack's own environment but the path: a handler sees what Lambda would show it.
        path = {"PATH": os.environ["PATH"], "LANG": "en_US.UTF-8", "NODE": node}
        self._environment = {**path, **{name: str(value) for name, value in env_vars.items()}}
        try:
            self._worker = self._start_worker()
        except InitError as error:
            raise StatusErrorException(str(error), payload=error.payload.encode()) from error

    def stop(self) -> None:
        if self._worker is not None:
            self._worker.stop()

    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        request_id = payload["invoke-id"]
        started = time.monotonic()
        outcome = self._run(
            Invocation(
                request_id=request_id,
                function_arn=payload["invoked-function-arn"],
                event=payload["payload"] or "{}",
                trace_id=payload["trace-id"],
                seconds_max=self.function_version.config.timeout,
            )
        )
        milliseconds = (time.monotonic() - started) * 1000
        version = self.function_version.id.qualifier
        logs = (
            f"START RequestId: {request_id} Version: {version}\n{outcome.logs}END RequestId: {request_id}\n"
            f"REPORT RequestId: {request_id}\tDuration: {milliseconds:.2f} ms\n"
        )
        return InvocationResult(request_id, outcome.payload.encode(), is_error=outcome.is_error, logs=logs)

    def get_logs(self) -> str:
        # All of them are handed over with the result of their invocation.
        return ""

    def get_address(self) -> str:
        return HOST

    def get_endpoint_from_executor(self) -> str:
        return HOST

    def get_runtime_endpoint(self) -> str:
        return f"http://{HOST}:{config.GATEWAY_LISTEN[0].port}/_localstack_lambda/{self.id}"

    @classmethod
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        if function_version.config.code is not None:
            function_version.config.code.prepare_for_execution()

    @classmethod
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """The code is LocalStack's to remove."""

    def _run(self, invocation: Invocation) -> Outcome:
        try:
            if self._worker is None or not self._worker.alive:
                self._worker = self._start_worker()
        except InitError as error:
            return Outcome(error.payload, True, error.logs)
        return self._worker.invoke(invocation)

    def _start_worker(self) -> Worker:
        code = self.function_version.config.code
        if code is None:
            raise RuntimeError(f"{self.function_version.qualified_arn} has no code to run.")
        return Worker(self._environment["NODE"], str(code.get_unzipped_code_location()), self._environment)


class ProcessRuntimeExecutorPlugin(RuntimeExecutorPlugin):
    name = "process"

    def load(self, *_args: Any, **_kwargs: Any) -> type[RuntimeExecutor]:
        return ProcessRuntimeExecutor

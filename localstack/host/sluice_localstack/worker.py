"""One Lambda environment as a Node process: starts it, hands it one invocation at a time, and ends it."""

from __future__ import annotations

import json
import logging
import os
import queue
import secrets
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LOG = logging.getLogger(__name__)

RUNTIME = Path(__file__).with_name("runtime.mjs")

# How long a log line may take from the process's pipe to here, once the answer is there.
LOG_SECONDS_MAX = 2.0
STOP_SECONDS_MAX = 5.0


@dataclass(frozen=True)
class Invocation:
    request_id: str
    function_arn: str
    event: str
    trace_id: str
    seconds_max: float


@dataclass(frozen=True)
class Outcome:
    """What became of an invocation: the handler's result as JSON, or an error in the words that Lambda uses."""

    payload: str
    is_error: bool
    logs: str


class InitError(Exception):
    """The handler could not be loaded. `payload` is the error as JSON, `logs` what was written until then."""

    def __init__(self, error_type: str, message: str, logs: str, trace: list[str] | None = None) -> None:
        super().__init__(f"{error_type}: {message}")
        self.payload = json.dumps({"errorType": error_type, "errorMessage": message, "trace": trace or []})
        self.logs = logs


class Worker:
    """
    A process that has loaded its handler. After a timeout, a crash or `stop` it is not `alive` any more, and another one
    has to take its place. Throws `InitError` when the handler cannot be loaded within `init_seconds_max`.
    """

    def __init__(self, node: str, root: str, environment: Mapping[str, str], init_seconds_max: float = 10) -> None:
        # What the handler writes cannot be taken for it by accident.
        self._mark = f"end-{secrets.token_hex(16)}"
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._lines: list[str] = []
        self._log_complete = threading.Event()
        self._turn = threading.Lock()
        answers_read, answers_write = os.pipe()
        try:
            self._process = subprocess.Popen(
                [node, str(RUNTIME), str(answers_write), self._mark],
                cwd=root,
                env={**environment, "LAMBDA_TASK_ROOT": root},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(answers_write,),
                text=True,
                errors="replace",
            )
        except BaseException:
            os.close(answers_read)
            raise
        finally:
            os.close(answers_write)
        self._readers = [
            threading.Thread(target=self._read_answers, args=(answers_read,), daemon=True),
            threading.Thread(target=self._read_log, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._await_ready(init_seconds_max)

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def invoke(self, invocation: Invocation) -> Outcome:
        """Runs the handler once. A second caller waits for its turn. A handler that takes too long ends the process."""
        with self._turn:
            self._log_complete.clear()
            self._send(invocation)
            try:
                answer = self._answers.get(timeout=invocation.seconds_max)
            except queue.Empty:
                self.stop()
                return self._failure(
                    invocation, "Sandbox.Timedout", f"Task timed out after {invocation.seconds_max:.2f} seconds"
                )
            if answer is None:
                self.stop()
                return self._failure(invocation, "Runtime.ExitError", f"Runtime exited with error: {self._exit()}")
            self._log_complete.wait(LOG_SECONDS_MAX)
            return Outcome(answer["payload"], answer["isError"], self._take_log())

    def stop(self) -> None:
        """Ends the process, as Lambda ends an environment: at once. Harmless when it has ended already."""
        self._process.kill()
        self._process.wait(STOP_SECONDS_MAX)
        for reader in self._readers:
            reader.join(LOG_SECONDS_MAX)
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass  # It had not read all that it was sent.

    def _await_ready(self, seconds_max: float) -> None:
        try:
            answer = self._answers.get(timeout=seconds_max)
        except queue.Empty:
            self.stop()
            message = f"The handler was not loaded within {seconds_max:.2f} seconds"
            raise InitError("Sandbox.Timedout", message, self._take_log()) from None
        if answer is not None and "initError" not in answer:
            return
        self.stop()
        if answer is None:
            raise InitError("Runtime.ExitError", f"Runtime exited with error: {self._exit()}", self._take_log())
        error = answer["initError"]
        raise InitError(error["errorType"], error["errorMessage"], self._take_log(), error["trace"])

    def _send(self, invocation: Invocation) -> None:
        request = {
            "requestId": invocation.request_id,
            "functionArn": invocation.function_arn,
            "event": invocation.event,
            "traceId": invocation.trace_id,
            "deadlineMs": (time.time() + invocation.seconds_max) * 1000,
        }
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{json.dumps(request)}\n")
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # It has ended meanwhile, which the reader of its answers reports.

    def _failure(self, invocation: Invocation, error_type: str, message: str) -> Outcome:
        text = f"RequestId: {invocation.request_id} Error: {message}"
        return Outcome(json.dumps({"errorType": error_type, "errorMessage": text}), True, f"{self._take_log()}{text}\n")

    def _exit(self) -> str:
        code = self._process.returncode
        return f"exit status {code}" if code >= 0 else f"signal {-code}"

    def _take_log(self) -> str:
        lines, self._lines = self._lines, []
        return "".join(lines)

    def _read_answers(self, descriptor: int) -> None:
        try:
            with os.fdopen(descriptor, encoding="utf-8") as answers:
                for line in answers:
                    self._answers.put(json.loads(line))
        except ValueError:
            LOG.warning("Process %s is ended: its handler wrote into the answers.", self.pid)
        finally:
            # Nothing more is to come, whatever the reason.
            self._answers.put(None)

    def _read_log(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as log:
            for line in log:
                text, is_end, _ = line.partition(self._mark)
                # A handler's last line may lack its end.
                if text != "":
                    self._lines.append(f"{text}\n" if is_end else text)
                if is_end:
                    self._log_complete.set()

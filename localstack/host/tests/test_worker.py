"""The worker on its own: no LocalStack is needed. Run: python -m unittest discover -s localstack/host/tests -p test_worker.py"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from sluice_localstack.worker import InitError, Invocation, Outcome, Worker

HANDLER = """
import { writeSync } from 'node:fs';
let calls = 0;
export const handler = async (event, context) => {
  calls++;
  switch (event.do) {
    case 'echo': return { event, calls, pid: process.pid, ...context, left: context.getRemainingTimeInMillis(),
      trace: process.env._X_AMZN_TRACE_ID, variable: process.env.GIVEN, home: process.env.HOME ?? null };
    case 'nothing': return undefined;
    case 'throw': throw new TypeError('as asked');
    case 'exit': console.log('before the exit'); process.exit(7);
    case 'abort': process.abort();
    case 'hang': console.log('before the hang'); return new Promise(() => setInterval(() => {}, 1000));
    case 'wait': await new Promise((resolve) => setTimeout(resolve, event.milliseconds)); return calls;
    case 'write': for (let i = 0; i < event.lines; i++) console.log(`line ${i}`); console.error('to the error');
      process.stdout.write('without an end'); return null;
    case 'flood': console.log('x'.repeat(event.bytes)); console.error('y'.repeat(event.bytes)); return null;
    case 'garble': writeSync(Number(process.argv[2]), 'no answer\\n'); return new Promise(() => setInterval(() => {}, 1000));
  }
};
"""


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


class WorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        (self.root / "index.mjs").write_text(HANDLER)

    def worker(self, handler: str = "index.handler", init_seconds_max: float = 30) -> Worker:
        environment = {"PATH": os.environ["PATH"], "_HANDLER": handler, "GIVEN": "by the function"}
        worker = Worker("node", str(self.root), environment, init_seconds_max)
        self.addCleanup(worker.stop)
        return worker

    def invoke(self, worker: Worker, event: object, seconds_max: float = 30, request_id: str = "r-1") -> Outcome:
        return worker.invoke(Invocation(request_id, "arn:function", json.dumps(event), "Root=1-2-3", seconds_max))

    def module(self, text: str) -> None:
        (self.root / "index.mjs").write_text(text)


class Results(WorkerTest):
    def test_a_result_comes_back_with_what_the_handler_saw(self) -> None:
        outcome = self.invoke(self.worker(), {"do": "echo", "text": "ä\n\u2028"})
        seen = json.loads(outcome.payload)
        self.assertFalse(outcome.is_error)
        self.assertEqual(seen["event"], {"do": "echo", "text": "ä\n\u2028"})
        self.assertEqual(
            (seen["awsRequestId"], seen["invokedFunctionArn"], seen["trace"], seen["variable"]),
            ("r-1", "arn:function", "Root=1-2-3", "by the function"),
        )
        self.assertTrue(29_000 < seen["left"] <= 30_000, seen["left"])
        self.assertIsNone(seen["home"], "nothing of the emulator's own environment")

    def test_a_process_serves_one_invocation_after_the_other(self) -> None:
        worker = self.worker()
        seen = [json.loads(self.invoke(worker, {"do": "echo"}).payload) for _ in range(3)]
        self.assertEqual([one["calls"] for one in seen], [1, 2, 3])
        self.assertEqual({one["pid"] for one in seen}, {worker.pid})

    def test_no_result_is_null(self) -> None:
        self.assertEqual(self.invoke(self.worker(), {"do": "nothing"}).payload, "null")

    def test_a_payload_of_megabytes_goes_in_and_out(self) -> None:
        text = "x" * 5_000_000
        seen = json.loads(self.invoke(self.worker(), {"do": "echo", "text": text}).payload)
        self.assertEqual(len(seen["event"]["text"]), len(text))

    def test_an_error_of_the_handler_leaves_the_process_alive(self) -> None:
        worker = self.worker()
        outcome = self.invoke(worker, {"do": "throw"})
        error = json.loads(outcome.payload)
        self.assertTrue(outcome.is_error)
        self.assertEqual((error["errorType"], error["errorMessage"]), ("TypeError", "as asked"))
        self.assertTrue(worker.alive)


class Timeouts(WorkerTest):
    def test_a_handler_that_hangs_is_ended_with_its_process_and_its_log_is_kept(self) -> None:
        worker = self.worker()
        started = time.monotonic()
        outcome = self.invoke(worker, {"do": "hang"}, seconds_max=0.5)
        self.assertLess(time.monotonic() - started, 10)
        self.assertTrue(outcome.is_error)
        self.assertEqual(
            json.loads(outcome.payload),
            {"errorType": "Sandbox.Timedout", "errorMessage": "RequestId: r-1 Error: Task timed out after 0.50 seconds"},
        )
        self.assertIn("before the hang\n", outcome.logs)
        self.assertFalse(worker.alive)
        self.assertFalse(is_alive(worker.pid))


class Crashes(WorkerTest):
    def test_a_handler_that_exits_is_an_error_with_its_status_and_its_log(self) -> None:
        worker = self.worker()
        outcome = self.invoke(worker, {"do": "exit"})
        self.assertTrue(outcome.is_error)
        self.assertEqual(
            json.loads(outcome.payload),
            {"errorType": "Runtime.ExitError", "errorMessage": "RequestId: r-1 Error: Runtime exited with error: exit status 7"},
        )
        self.assertIn("before the exit\n", outcome.logs)
        self.assertFalse(worker.alive)

    def test_a_signal_is_named(self) -> None:
        outcome = self.invoke(self.worker(), {"do": "abort"})
        self.assertIn("Runtime exited with error: signal 6", json.loads(outcome.payload)["errorMessage"])

    def test_an_invocation_of_a_process_that_has_gone_is_an_error_and_not_a_wait(self) -> None:
        worker = self.worker()
        os.kill(worker.pid, 9)
        outcome = self.invoke(worker, {"do": "echo"}, seconds_max=60)
        self.assertEqual(json.loads(outcome.payload)["errorType"], "Runtime.ExitError")

    def test_a_handler_that_writes_into_the_answers_is_ended_at_once(self) -> None:
        worker = self.worker()
        outcome = self.invoke(worker, {"do": "garble"}, seconds_max=60)
        self.assertEqual(json.loads(outcome.payload)["errorType"], "Runtime.ExitError")
        self.assertFalse(worker.alive)


class InitErrors(WorkerTest):
    def error(self, handler: str = "index.handler", init_seconds_max: float = 30) -> InitError:
        with self.assertRaises(InitError) as raised:
            self.worker(handler, init_seconds_max)
        return raised.exception

    def test_a_module_that_throws(self) -> None:
        self.module("console.log('loading'); throw new RangeError('while loading');")
        error = self.error()
        payload = json.loads(error.payload)
        self.assertEqual((payload["errorType"], payload["errorMessage"]), ("RangeError", "while loading"))
        self.assertIn("index.mjs", "\n".join(payload["trace"]))
        self.assertEqual(error.logs, "loading\n")

    def test_a_module_or_a_handler_that_is_not_there(self) -> None:
        self.assertEqual(json.loads(self.error("other.handler").payload)["errorType"], "Runtime.ImportModuleError")
        self.assertEqual(json.loads(self.error("index.other").payload)["errorType"], "Runtime.HandlerNotFound")

    def test_a_module_that_exits(self) -> None:
        self.module("process.exit(3);")
        self.assertIn("exit status 3", json.loads(self.error().payload)["errorMessage"])

    def test_a_module_that_never_ends_loading(self) -> None:
        self.module("setInterval(() => {}, 1000); await new Promise(() => {});")
        self.assertEqual(json.loads(self.error(init_seconds_max=0.5).payload)["errorType"], "Sandbox.Timedout")


class Logs(WorkerTest):
    def test_an_invocation_has_all_of_its_own_lines_and_no_others(self) -> None:
        worker = self.worker()
        first = self.invoke(worker, {"do": "write", "lines": 2_000}).logs.splitlines()
        second = self.invoke(worker, {"do": "write", "lines": 1}).logs.splitlines()
        self.assertEqual(first, [*(f"line {i}" for i in range(2_000)), "to the error", "without an end"])
        self.assertEqual(second, ["line 0", "to the error", "without an end"])

    def test_more_than_a_pipe_holds_is_all_there_and_the_next_invocation_starts_with_an_empty_log(self) -> None:
        worker = self.worker()
        flooded = self.invoke(worker, {"do": "flood", "bytes": 1_000_000})
        self.assertEqual((flooded.logs.count("x"), flooded.logs.count("y")), (1_000_000, 1_000_000))
        after = self.invoke(worker, {"do": "nothing"})
        self.assertEqual((after.payload, after.logs), ("null", ""))


class Concurrency(WorkerTest):
    def test_one_process_runs_one_invocation_at_a_time(self) -> None:
        worker = self.worker()
        results: list[int] = []
        threads = [
            threading.Thread(
                target=lambda: results.append(int(self.invoke(worker, {"do": "wait", "milliseconds": 50}).payload))
            )
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        # With two at once, both would see the later count.
        self.assertEqual(sorted(results), [1, 2, 3, 4])

    def test_processes_run_beside_each_other_and_end_alone(self) -> None:
        hanging, other = self.worker(), self.worker()
        outcomes: list[Outcome] = []
        thread = threading.Thread(target=lambda: outcomes.append(self.invoke(hanging, {"do": "hang"}, seconds_max=60)))
        thread.start()
        self.assertFalse(self.invoke(other, {"do": "echo"}).is_error)
        self.assertEqual(outcomes, [], "the other one answered while this one was at work")
        hanging.stop()
        thread.join(30)
        self.assertEqual((hanging.alive, other.alive), (False, True))


class Stop(WorkerTest):
    def test_it_leaves_no_process_and_no_open_descriptor_and_may_be_repeated(self) -> None:
        before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
        worker = self.worker()
        self.invoke(worker, {"do": "echo"})
        worker.stop()
        worker.stop()
        self.assertFalse(is_alive(worker.pid))
        if before is not None:
            self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_it_ends_an_invocation_that_is_under_way(self) -> None:
        worker = self.worker()
        outcomes: list[Outcome] = []
        thread = threading.Thread(target=lambda: outcomes.append(self.invoke(worker, {"do": "hang"}, seconds_max=60)))
        thread.start()
        worker.stop()
        thread.join(30)
        self.assertEqual([json.loads(one.payload)["errorType"] for one in outcomes], ["Runtime.ExitError"])

    def test_a_process_whose_owner_has_gone_ends_by_itself(self) -> None:
        worker = self.worker()
        assert worker._process.stdin is not None
        worker._process.stdin.close()
        self.assertEqual(worker._process.wait(30), 0)


if __name__ == "__main__":
    unittest.main()

"""The plugin inside LocalStack's own classes. Run by `npm run test:localstack`, with the interpreter of `.localstack`."""

from __future__ import annotations

import json
import os
import tempfile
import unittest
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest import mock

from localstack.runtime.init import InitScriptManager, Stage, State
from localstack.services.apigateway.next_gen.execute_api import handlers
from localstack.services.apigateway.next_gen.execute_api.gateway_response import MissingAuthTokenError
from localstack.services.lambda_.event_source_mapping.pollers import sqs_poller
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import get_runtime_executor
from sluice_localstack import mends
from sluice_localstack.executor import ProcessRuntimeExecutor

HANDLER = """
export const handler = async (event) => {
  console.log(`asked for ${event.do}`);
  if (event.do === 'exit') process.exit(1);
  if (event.do === 'hang') await new Promise(() => setInterval(() => {}, 1000));
  return { pid: process.pid, endpoint: process.env.AWS_ENDPOINT_URL, own: process.env.OF_LOCALSTACK ?? null };
};
"""


class ExecutorTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        (self.root / "index.mjs").write_text(HANDLER)
        self.executor = self.started()

    def started(self, handler: str = "index.handler") -> ProcessRuntimeExecutor:
        code = SimpleNamespace(get_unzipped_code_location=lambda: self.root)
        version = SimpleNamespace(
            id=SimpleNamespace(qualifier="$LATEST"),
            config=SimpleNamespace(code=code, timeout=1),
            qualified_arn="arn:function",
        )
        executor = ProcessRuntimeExecutor("id", cast(Any, version))
        self.addCleanup(executor.stop)
        with mock.patch.dict(os.environ, {"OF_LOCALSTACK": "secret"}):
            executor.start({"_HANDLER": handler, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
        return executor

    def invoke(self, what: str) -> InvocationResult:
        event = json.dumps({"do": what})
        return self.executor.invoke(
            {"invoke-id": "r-1", "invoked-function-arn": "arn:function", "payload": event, "trace-id": "Root=1"}
        )

    def payload(self, result: InvocationResult) -> dict[str, Any]:
        return cast(dict[str, Any], json.loads(result.payload or b""))

    def test_localstack_finds_it_under_its_name(self) -> None:
        with mock.patch("localstack.config.LAMBDA_RUNTIME_EXECUTOR", "process"):
            self.assertIs(get_runtime_executor(), ProcessRuntimeExecutor)

    def test_a_result_and_its_log_as_lambda_writes_them(self) -> None:
        result = self.invoke("work")
        self.assertFalse(result.is_error)
        seen = self.payload(result)
        self.assertEqual((seen["endpoint"], seen["own"]), ("http://127.0.0.1:1", None))
        lines = (result.logs or "").splitlines()
        self.assertEqual(
            lines[:3], ["START RequestId: r-1 Version: $LATEST", "asked for work", "END RequestId: r-1"]
        )
        self.assertRegex(lines[3], r"^REPORT RequestId: r-1\tDuration: \d+\.\d\d ms$")

    def test_after_a_timeout_and_after_a_crash_another_process_goes_on(self) -> None:
        first = self.payload(self.invoke("work"))["pid"]
        self.assertEqual(self.payload(self.invoke("hang"))["errorType"], "Sandbox.Timedout")
        second = self.payload(self.invoke("work"))["pid"]
        self.assertEqual(self.payload(self.invoke("exit"))["errorType"], "Runtime.ExitError")
        third = self.payload(self.invoke("work"))["pid"]
        self.assertEqual(len({first, second, third}), 3)

    def test_a_handler_that_cannot_be_loaded_is_an_error_of_the_function(self) -> None:
        with self.assertRaises(StatusErrorException) as raised:
            self.started("nowhere.handler")
        self.assertEqual(json.loads(raised.exception.payload)["errorType"], "Runtime.ImportModuleError")

    def test_a_handler_that_cannot_be_loaded_any_more_neither(self) -> None:
        self.invoke("exit")
        (self.root / "index.mjs").write_text("throw new Error('gone bad')")
        result = self.invoke("work")
        self.assertTrue(result.is_error)
        self.assertEqual(self.payload(result)["errorMessage"], "gone bad")


class EntryPointsTest(unittest.TestCase):
    def test_each_names_what_is_there(self) -> None:
        points = metadata.distribution("sluice-localstack").entry_points
        self.assertEqual(len(points), 5)
        for point in points:
            self.assertTrue(callable(point.load()), point.name)


class OwnersOfKeysTest(unittest.TestCase):
    account = "000000000000"

    def test_a_user_is_told_by_its_key(self) -> None:
        from moto.iam.models import iam_backends

        backend = iam_backends[self.account]["aws"]
        user = backend.create_user("us-east-1", "someone")
        key = backend.create_access_key("someone")
        self.assertEqual(mends.owner_of(key.access_key_id, self.account), (user.id, user.arn))

    def test_a_key_that_was_never_given_out_is_the_root_unless_it_looks_real(self) -> None:
        self.assertEqual(mends.owner_of("test", self.account), (self.account, f"arn:aws:iam::{self.account}:root"))
        self.assertEqual(mends.owner_of("AKIANOBODY0000000000", self.account), (None, None))


class CallersTest(unittest.TestCase):
    def identified(self, headers: dict[str, str], authorization: str = "AWS_IAM") -> dict[str, Any]:
        identity: dict[str, Any] = {"sourceIp": "127.0.0.1"}
        context = SimpleNamespace(
            resource_method={"authorizationType": authorization},
            request=SimpleNamespace(headers=headers),
            account_id="000000000000",
            context_variables={"identity": identity},
        )
        mends.identify_caller(None, context, None)
        return identity

    def signed(self, key: str) -> dict[str, str]:
        scope = f"{key}/20261130/us-east-1/execute-api/aws4_request"
        return {"Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"}

    def test_a_function_is_told_who_signed(self) -> None:
        identity = self.identified(self.signed("test"))
        self.assertEqual((identity["accountId"], identity["caller"]), ("000000000000", "000000000000"))
        self.assertEqual(identity["userArn"], "arn:aws:iam::000000000000:root")

    def test_and_that_it_is_nobody(self) -> None:
        identity = self.identified(self.signed("AKIANOBODY0000000000"))
        self.assertEqual((identity["accountId"], identity["caller"], identity["userArn"]), (None, None, None))

    def test_without_a_signature_the_gateway_refuses(self) -> None:
        with self.assertRaises(MissingAuthTokenError):
            self.identified({})

    def test_where_no_signature_is_wanted_nothing_is_done(self) -> None:
        self.assertEqual(self.identified({}, "NONE"), {"sourceIp": "127.0.0.1"})


class InitScriptTest(unittest.TestCase):
    def test_the_script_that_a_container_runs_mends_what_is_mended_here(self) -> None:
        docker = Path(__file__).parents[2] / "docker"
        before = len(handlers.preprocess_request.handlers)
        scripts = InitScriptManager(str(docker)).run_stage(Stage.START)
        self.assertEqual([(Path(one.path).name, one.state) for one in scripts], [("mend.py", State.SUCCESSFUL)])
        self.assertEqual(handlers.preprocess_request.handlers[before:], [mends.identify_caller])
        self.assertIs(getattr(sqs_poller, "json"), mends.AsText)


if __name__ == "__main__":
    unittest.main()

"""
Where LocalStack differs from AWS in what this project cannot do without, each difference made good by one function.
Needed with and without Docker: the container runs this file as an init script.
"""

from __future__ import annotations

import json
from typing import Any

from localstack.services.apigateway.next_gen.execute_api import handlers
from localstack.services.apigateway.next_gen.execute_api.gateway_response import MissingAuthTokenError
from localstack.services.lambda_.event_source_mapping.pollers import sqs_poller
from localstack.services.lambda_.invocation.execution_environment import ExecutionEnvironment
from localstack.utils.aws.request_context import extract_access_key_id_from_auth_header
from localstack.utils.patch import patch


def identify_caller(chain: Any, context: Any, response: Any) -> None:
    """
    Fault: a method with AWS_IAM takes requests without a signature, and tells the function nothing about who signed.
    Here the caller is the owner of the access key. The signature itself is not checked, nor is any policy.
    """
    if context.resource_method.get("authorizationType") != "AWS_IAM":
        return
    access_key = extract_access_key_id_from_auth_header(context.request.headers)
    if access_key is None:
        raise MissingAuthTokenError("Missing Authentication Token")
    caller, arn = owner_of(access_key, context.account_id)
    context.context_variables["identity"].update(
        accessKey=access_key,
        accountId=caller and context.account_id,
        caller=caller,
        user=caller,
        userArn=arn,
    )


def owner_of(access_key: str, account_id: str) -> tuple[str | None, str | None]:
    """The id and ARN of whom a key belongs to. A key that was never given out is the root's, unless it looks real."""
    from moto.iam.models import iam_backends
    from moto.sts.models import sts_backends

    session = sts_backends[account_id]["aws"].get_assumed_role_from_access_key(access_key)
    if session is not None:
        return session.user_id, session.arn
    user = iam_backends[account_id]["aws"].get_user_from_access_key_id(access_key)
    if user is not None:
        return user.id, user.arn
    if len(access_key) == 20:
        return None, None
    return account_id, f"arn:aws:iam::{account_id}:root"


def log_group_of(get_log_group_name: Any, self: Any) -> str:
    """Fault: a function's own log group is ignored, and all it writes goes to /aws/lambda/NAME."""
    named: str | None = self.function_version.config.logging_config.get("LogGroup")
    return named or get_log_group_name(self)


class AsText:
    """
    Fault: a mapping parses the body of every message and writes it anew, so that a function gets another text than was
    sent. Stands for the module `json` there, and takes no text for JSON. (Filters on a body would not work; we have none.)
    """

    JSONDecodeError = json.JSONDecodeError
    dumps = staticmethod(json.dumps)

    @staticmethod
    def loads(text: str) -> Any:
        raise json.JSONDecodeError("left as it is", text, 0)


def apply() -> None:
    setattr(sqs_poller, "json", AsText)
    handlers.preprocess_request.append(identify_caller)
    patch(ExecutionEnvironment.get_log_group_name)(log_group_of)

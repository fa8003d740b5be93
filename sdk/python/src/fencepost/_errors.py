"""The one error of the package."""
from __future__ import annotations

import json
from http.client import responses
from typing import Any, Dict, List, Optional, Tuple

from . import types

# The statuses after which a try may be repeated.
TRANSIENT = frozenset({408, 429, 502, 503, 504})


class FencepostError(Exception):
    """A call failed.

    kind says where: "api" (the service refused it: status, code and the members of the problem document say why),
    "connection" and "timeout" (there is no response; __cause__ is the error of the network), "decode" (a success that
    is not JSON, such as a page of a proxy), "validation" and "configuration" (nothing was sent), "signature" (a
    delivery is not genuine), "cancelled" (the client was closed).
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        status: Optional[int] = None,
        problem: Optional[Dict[str, Any]] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
        tries: int = 0,
    ) -> None:
        problem = problem or {}
        self.kind: str = kind
        self.detail: str = detail
        self.status: Optional[int] = status
        self.problem: Dict[str, Any] = problem
        self.code: Optional[str] = problem.get("code")
        self.errors: List[types.Fault] = _objects(problem.get("errors"))
        self.current_status: Optional[str] = problem.get("currentStatus")
        self.references: List[types.Reference] = _objects(problem.get("references"))
        self.post_id: Optional[str] = problem.get("postId")
        self.request_id: Optional[str] = problem.get("requestId") or request_id
        self.retry_after: Optional[float] = retry_after
        self.tries: int = tries
        super().__init__(str(self))

    def __str__(self) -> str:
        lines = [f"{self.code or self.status or self.kind}: {self.detail}"]
        # The detail of the service has short lists of faults already.
        faults = [f"{fault.get('pointer')} {fault.get('message')}" for fault in self.errors]
        lines += ["  " + fault for fault in faults if fault not in self.detail]
        if self.request_id:
            lines.append(f"  request {self.request_id}")
        return "\n".join(lines)

    @property
    def timed_out(self) -> bool:
        return self.kind == "timeout"

    @property
    def transient(self) -> bool:
        """Whether the same call may succeed later without a change of it."""
        in_progress = self.code == "IDEMPOTENCY_IN_PROGRESS"
        return self.kind in ("connection", "timeout") or self.kind == "api" and (in_progress or self.status in TRANSIENT)


def _objects(value: Any) -> List[Any]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def refusal(*faults: Tuple[str, str]) -> FencepostError:
    """Return the error of values that the service would refuse, in its form: pairs of a pointer and a text."""
    errors = [{"pointer": pointer, "message": message} for pointer, message in faults]
    detail = "; ".join(" ".join(filter(None, fault)) for fault in faults)
    return FencepostError("validation", detail, problem={"code": "VALIDATION_FAILED", "errors": errors})


def of_response(
    status: int, body: bytes, request_id: Optional[str], retry_after: Optional[float], tries: int
) -> FencepostError:
    """Return the error of a response. Its body may be no problem document, such as the page of a proxy."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {}
    detail = str(problem.get("detail") or problem.get("title") or responses.get(status, "the status is unknown"))
    return FencepostError(
        "api", detail, status=status, problem=problem, request_id=request_id, retry_after=retry_after, tries=tries
    )

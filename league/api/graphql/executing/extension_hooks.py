"""Runs the hooks of extensions. Strawberry itself looks for them anew in each stage of each operation."""

from collections.abc import AsyncGenerator, Generator
from functools import cache
from inspect import isasyncgenfunction
from types import TracebackType
from typing import Any

from strawberry.extensions import SchemaExtension
from strawberry.extensions.runner import SchemaExtensionsRunner
from strawberry.types import ExecutionContext, StreamExecutionResult


class Stage:
    """A stage of an operation, within the hooks of all extensions that have one of this name."""

    __slots__ = ("_entered", "_extensions", "_given", "_hook")

    def __init__(self, extensions: list[SchemaExtension], hook: str, *given: Any) -> None:
        self._extensions, self._hook, self._given = extensions, hook, given
        self._entered: list[Generator[None] | AsyncGenerator[None]] = []

    async def __aenter__(self) -> None:
        """Enter the hooks, in the order of the extensions."""
        for extension in self._extensions:
            kind: Any = type(extension)
            function, is_async = _hook(kind, self._hook)
            if function is not None:
                entered = function(extension, *self._given)
                await anext(entered) if is_async else next(entered)
                self._entered.append(entered)

    async def __aexit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        """Leave them in the opposite order. Each meets the error, and may raise another one."""
        raised = error
        while self._entered:
            hook = self._entered.pop()
            try:
                if isinstance(hook, Generator):
                    next(hook, None) if raised is None else hook.throw(raised)
                else:
                    await (anext(hook, None) if raised is None else hook.athrow(raised))
            except (StopIteration, StopAsyncIteration):
                raised = None  # the hook has dealt with it
            except BaseException as another:  # noqa: BLE001  # the hooks around it meet it
                raised = another
        if raised is not None and raised is not error:
            raise raised


@cache
def _hook(kind: Any, name: str) -> tuple[Any, bool]:
    """The hook of a kind of extension, if it has one, and whether it is to be awaited."""
    hook = getattr(kind, name)
    return (None, False) if hook is getattr(SchemaExtension, name) else (hook, isasyncgenfunction(hook))


class ExtensionHooks(SchemaExtensionsRunner):
    """The stages of an operation, for extensions whose hooks are generators. They add nothing to the answer."""

    def operation(self) -> Any:
        """Around everything."""
        return Stage(self.extensions, "on_operation")

    def parsing(self) -> Any:
        """Around parsing."""
        return Stage(self.extensions, "on_parse")

    def validation(self) -> Any:
        """Around validation."""
        return Stage(self.extensions, "on_validate")

    def executing(self) -> Any:
        """Around execution."""
        return Stage(self.extensions, "on_execute")

    def on_stream_result(self, result: StreamExecutionResult) -> Any:
        """Around sending a result."""
        return Stage(self.extensions, "on_stream_result", result)

    async def get_extensions_results(self, ctx: ExecutionContext) -> dict[str, Any]:
        """What an answer has as `extensions`: the price of an operation that is valid."""
        price = ctx.context.price
        return {} if price is None else {"cost": price.cost}

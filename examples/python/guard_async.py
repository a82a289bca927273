"""Runs commands with asyncio, each only if the service allows it."""

import asyncio

from safeconduct import ActionDenied, AsyncSafeconduct


async def run(sc: AsyncSafeconduct, command: str) -> None:
    """Ask, then run."""

    async def action() -> str:
        process = await asyncio.create_subprocess_exec(*command.split(), stdout=asyncio.subprocess.PIPE)
        return (await process.communicate())[0].decode().strip()

    try:
        question = {"policy": "system.command.execute.v1", "context": {"command": command}}
        print("allowed:", await sc.guard(action, **question))
    except ActionDenied as denied:
        print("denied:", denied.code)


async def main() -> None:
    """Run two commands."""
    async with AsyncSafeconduct() as sc:
        await run(sc, "echo hello")
        await run(sc, "reboot")


asyncio.run(main())

"""The language server as an editor sees it: what it adds to MLIR's, in messages."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest
from tree import BUILD

URI = "file:///kernels/gather.ttir"
TEXT = """\
tt.func public @gather(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %squares = arith.muli %i, %i : tensor<64xi32> loc("kernel.py":7:3)
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %far = tt.addptr %base, %squares : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %a = tt.load %far : tensor<64x!tt.ptr<f32>> loc("kernel.py":8:3)
  %to = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %near = tt.addptr %to, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %near, %a : tensor<64x!tt.ptr<f32>>
  tt.return
}
"""
LOAD, STORE, SQUARES = 5, 8, 2


class Server:
    """A server, and the messages of an editor."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [BUILD / "bin" / "triton-shared-lsp"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.asked = 0
        self.others: list[dict[str, Any]] = []
        window = {"showDocument": {"support": True}}
        self.capabilities = self.ask("initialize", {"capabilities": {"window": window}})["result"][
            "capabilities"
        ]

    def send(self, method: str, params: Any, **more: Any) -> None:
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
        self.process.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        self.asked += 1
        self.send(method, params, id=self.asked)
        while (message := self.read()).get("id") != self.asked:
            self.others.append(message)
        return message

    def read(self) -> dict[str, Any]:
        size = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        assert size, "the server has ended"
        return json.loads(self.process.stdout.read(size))

    def wait_for(self, method: str) -> dict[str, Any]:
        for message in self.others:
            if message.get("method") == method:
                self.others.remove(message)
                return message["params"]
        while (message := self.read()).get("method") != method:
            self.others.append(message)
        return message["params"]

    def open(self, text: str) -> list[dict[str, Any]]:
        document = {"uri": URI, "languageId": "mlir", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})
        return self.wait_for("textDocument/publishDiagnostics")["diagnostics"]

    def hover(self, line: int, character: int = 8) -> str:
        position = {
            "textDocument": {"uri": URI},
            "position": {"line": line, "character": character},
        }
        result = self.ask("textDocument/hover", position)["result"]
        return result["contents"]["value"] if result else ""

    def end(self) -> int:
        self.ask("shutdown", None)
        self.send("exit", None)
        return self.process.wait(timeout=60)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    assert server.end() == 0


def test_a_gather_is_a_warning_with_the_culprit_and_the_way_out(server: Server):
    (found,) = server.open(TEXT)
    assert found["source"] == "triton-shared"
    assert found["severity"] == 2
    assert found["range"]["start"] == {"line": LOAD, "character": 7}
    assert found["message"].startswith("gathered load")
    culprit, way_out = found["relatedInformation"]
    assert culprit["message"] == "this value multiplies two values that vary over the block"
    assert culprit["location"]["range"]["start"]["line"] == SQUARES
    assert "would be strided" in way_out["message"]


def test_the_mouse_on_an_access_shows_how_it_is_made(server: Server):
    server.open(TEXT)
    gathered = server.hover(LOAD)
    assert "tt.load" in gathered  # What MLIR's server says stays.
    assert "gathered load" in gathered
    assert f"line {SQUARES + 1}: this value multiplies" in gathered
    assert "strided store; stride 1" in server.hover(STORE, 3)
    assert "load" not in server.hover(1)


LOOP = """\
tt.func public @sums(%x: !tt.ptr<f32>, %size: i32) -> tensor<64xf32> {
  %zero = arith.constant 0 : i32
  %many = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %from = tt.addptr %base, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %steps = tt.splat %many : i32 -> tensor<64xi32>
  %sum, %end = scf.for %done = %zero to %size step %many
      iter_args(%so_far = %none, %there = %from)
      -> (tensor<64xf32>, tensor<64x!tt.ptr<f32>>) : i32 {
    %left = arith.subi %size, %done : i32 loc("rest"("kernel.py":3:1))
    %lefts = tt.splat %left : i32 -> tensor<64xi32>
    %live = arith.cmpi slt, %i, %lefts : tensor<64xi32>
    %a = tt.load %there, %live : tensor<64x!tt.ptr<f32>>
    %next = arith.addf %so_far, %a : tensor<64xf32>
    %on = tt.addptr %there, %steps : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    scf.yield %next, %on : tensor<64xf32>, tensor<64x!tt.ptr<f32>>
  }
  tt.return %sum : tensor<64xf32>
}
"""


def test_values_are_called_as_in_the_text(server: Server):
    server.open(LOOP)
    line = next(n for n, text in enumerate(LOOP.splitlines()) if "tt.load" in text)
    assert "strided load; stride 1, from 0 to %size - %done" in server.hover(line, 10)


def test_a_change_is_looked_at_anew(server: Server):
    server.open(TEXT)
    strided = TEXT.replace("arith.muli", "arith.addi")
    change = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": strided}]}
    server.send("textDocument/didChange", change)
    assert server.wait_for("textDocument/publishDiagnostics")["diagnostics"] == []
    assert "strided load; stride 2" in server.hover(LOAD)


def test_of_a_text_with_errors_only_these_are_said(server: Server):
    found = server.open(TEXT.replace("%far :", "%fra :"))
    assert [one["severity"] for one in found] == [1]
    assert "gathered" not in server.hover(LOAD)


def test_other_texts_have_no_accesses(server: Server):
    assert server.open("func.func @f() {\n  return\n}\n") == []


def test_an_action_runs_a_phase_and_shows_its_text(server: Server):
    server.open(TEXT)
    assert server.capabilities["executeCommandProvider"]["commands"] == ["triton-shared.showPhase"]
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    asked = {"textDocument": {"uri": URI}, "range": where, "context": {"diagnostics": []}}
    actions = {one["title"]: one for one in server.ask("textDocument/codeAction", asked)["result"]}
    for phase, word in (("linalg", "linalg.generic"), ("cta", "#cta.layout"), ("llir", "llvm")):
        command = actions[f"Show phase '{phase}'"]["command"]
        wanted = {"command": command["command"], "arguments": command["arguments"]}
        path = Path(server.ask("workspace/executeCommand", wanted)["result"])
        assert path.name.startswith(f"gather.{phase}.")
        assert word in path.read_text()
        shown = server.wait_for("window/showDocument")
        assert urlparse(shown["uri"]).path == str(path)
        path.unlink()
        path.parent.rmdir()


def test_a_phase_that_cannot_be_had_says_why(server: Server):
    wanted = {"command": "triton-shared.showPhase", "arguments": [URI, "linalg", ""]}
    assert "not open" in server.ask("workspace/executeCommand", wanted)["error"]["message"]
    server.open(TEXT)
    wanted["arguments"] = [URI, "nothing", ""]
    assert "nothing" in server.ask("workspace/executeCommand", wanted)["error"]["message"]


def test_an_answer_of_the_editor_to_us_is_not_passed_on(server: Server):
    server.open(TEXT)
    text = json.dumps({"jsonrpc": "2.0", "id": "triton-shared-cta", "result": {"success": True}})
    server.process.stdin.write(f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
    server.process.stdin.flush()
    assert "gathered load" in server.hover(LOAD)


def test_a_text_with_a_module_of_its_own_is_looked_at(server: Server):
    (found,) = server.open(f'#loc = loc("kernel.py":1:1)\nmodule {{\n{TEXT}}} loc(#loc)\n')
    assert found["range"]["start"]["line"] == LOAD + 2
    assert found["relatedInformation"][0]["location"]["range"]["start"]["line"] == SQUARES + 2

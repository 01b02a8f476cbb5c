"""Times of launches as graphs replay them, with the board's clock beside, and the names of the kernels."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from board import Board
from clock import ClockMeter

WARM_UP_S = 0.12
TIMED_S = 0.15


def replayed(board: Board, meter: ClockMeter, calls: list[Callable[[], object]]) -> tuple[float, float, float, float]:
    """(us a call, MHz, MHz as NVML has it, W) of `calls` by turns: a graph of them, replayed till time is up."""
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for call in calls[:3]:
            call()
        stream.synchronize()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        calls[0]()
        end.record()
        stream.synchronize()
        once_ms = max(begin.elapsed_time(end), 0.004)
        turns = max(1, min(round(8 / once_ms / len(calls)), 200 // len(calls)))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(turns):
                for call in calls:
                    call()
        per_replay = turns * len(calls)

        def run(seconds: float) -> tuple[int, float]:
            replays = max(1, int(seconds * 1000 / (once_ms * per_replay)))
            begin.record()
            for _ in range(replays):
                graph.replay()
            end.record()
            stream.synchronize()
            return replays, begin.elapsed_time(end)

        replays, took = run(0.02)
        once_ms = took / replays / per_replay
        run(WARM_UP_S)
        t0 = time.perf_counter()
        meter.sample(0, stream)
        replays, took = run(TIMED_S)
        meter.sample(1, stream)
        stream.synchronize()
        t1 = time.perf_counter()
        nvml_mhz, watts = board.window(t0, t1)
        return 1000 * took / replays / per_replay, meter.mhz(), nvml_mhz, watts


MARK = "spin_kernel"


def kernel_times(groups: list[Callable[[], Callable[[], object]]], times: int = 3) -> list[list[tuple[str, float]]]:
    """Of each group, made by a call and run `times` times: the kernels of its last run, with their microseconds.

    Kernels between two marks are one group's; what making it launches lies before its first mark.
    """
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for group in groups:
            call = group()
            call()
            torch.cuda._sleep(1000)
            for _ in range(times):
                call()
            torch.cuda._sleep(1000)
            torch.cuda.synchronize()
            del call
    events = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA]
    events = [e for e in events if not e.name.startswith("Memset")]
    events.sort(key=lambda e: e.time_range.start)
    result: list[list[tuple[str, float]]] = []
    inside: list[tuple[str, float]] | None = None
    for event in events:
        if MARK in event.name:
            if inside is None:
                inside = []
            else:
                result.append(inside[-(len(inside) // times) :] if inside else [])
                inside = None
        elif inside is not None:
            inside.append((event.name, event.time_range.end - event.time_range.start))
    return result

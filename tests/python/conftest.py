"""Machines and schedules that several tests use."""

import pytest

import gpusim


@pytest.fixture
def textbook():
    """Latencies and almost no limits."""
    return gpusim.load_profile("textbook-2023")


@pytest.fixture
def ada():
    return gpusim.load_profile("ada")


@pytest.fixture(scope="session")
def small_product():
    """A few milliseconds on any GPU."""
    return gpusim.schedules.gemm(m=256, n=256, k=64, tile=64)


@pytest.fixture(scope="session")
def large_product():
    """Minutes on one core."""
    return gpusim.schedules.gemm(m=16384, n=16384, k=16384)

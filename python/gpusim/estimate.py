"""Closed forms to hold beside the simulation. They share no code with it."""

from ._gpusim.estimate import CriticalPath, PathTerm, Roofline, critical_path, roofline

__all__ = ["CriticalPath", "PathTerm", "Roofline", "critical_path", "roofline"]

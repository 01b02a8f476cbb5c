"""The same product on five GPUs: how fast, how close to the peak, and what its warps wait for most."""

import gpusim

problem = gpusim.schedules.GemmProblem(m=1024, n=1024, k=1024)

print(f"{'gpu':8} {'schedule':8} {'cycles':>8} {'us':>6} {'TFLOPS':>7} {'of peak':>8}  most warp-cycles go to")
for name in ("volta", "turing", "ampere", "ada", "hopper"):
    profile = gpusim.load_profile(name)
    tiling = gpusim.schedules.choose(profile, problem, tile=(128, 64, 32))
    result = gpusim.Gpu(profile).run(gpusim.schedules.gemm(problem, tiling))
    reason = max(result.stalls, key=result.stalls.get)
    print(
        f"{name:8} {tiling.variant:8} {result.cycles:8,} {result.time_us:6.1f} {result.tflops:7.1f} "
        f"{result.tflops / result.peak_tflops:8.1%}  {reason}"
    )

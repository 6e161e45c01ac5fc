"""
Compiles a decoder to a library that WebLLM loads: one WebAssembly module with TVM's runtime, a virtual machine and WebGPU shaders.

    python compile.py config.json float32|float16 runtime-folder output.wasm

`config.json` is Hugging Face's; `runtime-folder` holds the objects of TVM's web runtime (build-webllm.mjs).
"""

import json
import subprocess
import sys
from pathlib import Path

import tvm
from tvm import relax

from decoder import Decoder, DecoderConfig
from sampling import Sampling

PREFILL_CHUNK = 1024
# Symbolic sizes of parameters, as MLC's libraries report them.
OPEN = -1


def target() -> tvm.target.Target:
    return tvm.target.Target(
        {"kind": "webgpu", "host": {"kind": "llvm", "mtriple": "wasm32-unknown-unknown-wasm"}}
    )


def module_of(config: DecoderConfig, dtype: str) -> tvm.IRModule:
    model = Decoder(config, dtype, target())
    mod, parameters = model.export_tvm(spec=model.specification())[:2]
    sampling = Sampling()
    sampler = sampling.export_tvm(spec=sampling.specification())[0]
    for name, function in sampler.functions_items():
        mod[name] = function
    metadata = {
        "model_type": config.model_type,
        "quantization": "q0f32" if dtype == "float32" else "q0f16",
        "context_window_size": config.context,
        "sliding_window_size": -1,
        "attention_sink_size": -1,
        "prefill_chunk_size": min(PREFILL_CHUNK, config.context),
        "tensor_parallel_shards": 1,
        "kv_state_kind": "kv_cache",
        "max_batch_size": 128,
        "params": [
            {
                "name": name,
                "shape": [int(size) if isinstance(size, int | tvm.tirx.IntImm) else OPEN for size in parameter.shape],
                "dtype": parameter.dtype,
                "preprocs": [],
                "param_status": "exist",
            }
            for name, parameter in parameters
        ],
        "memory_usage": {},
    }
    builder = relax.BlockBuilder(mod)
    with builder.function("_metadata", params=[]):
        builder.emit_func_output(tvm.ir.StringImm(json.dumps(metadata)))
    return builder.finalize()


def pipeline() -> tvm.transform.Pass:
    """TVM's pipeline for graphics processors, with weights read as they are stored, and without what that leaves unused."""
    parts = relax.backend.gpu_generic
    return tvm.transform.Sequential(
        [
            *parts.library_dispatch_passes(target()),
            relax.transform.FuseTransposeMatmul(),
            *parts.legalize_passes(target()),
            *parts.dataflow_lower_passes(target()),
            relax.transform.DeadCodeElimination(),
            *parts.finalize_passes(target()),
        ]
    )


def linker(runtime: Path):
    """Links with the runtime, as TVM's export asks. Objects, not bitcode: TVM's LLVM is newer than emscripten's."""

    def link(output: str, objects: list[str], options: list[str] | None = None) -> None:
        settings = [
            "WASM_BIGINT=1",
            "ERROR_ON_UNDEFINED_SYMBOLS=0",
            "STANDALONE_WASM=1",
            "ALLOW_MEMORY_GROWTH=1",
            "TOTAL_MEMORY=160MB",
        ]
        # The objects are optimised already; -O3 here takes minutes and saves a fifth of the packed size.
        command = ["emcc", "-O1", "--no-entry", *[part for setting in settings for part in ("-s", setting)]]
        command += ["-o", output, *map(str, sorted(runtime.glob("*.o"))), *objects, *(options or [])]
        subprocess.run(command, check=True)

    link.object_format = "o"
    return link


def main(config_file: str, dtype: str, runtime: str, output: str) -> None:
    config = DecoderConfig.from_hugging_face(json.loads(Path(config_file).read_text()))
    executable = relax.build(module_of(config, dtype), target(), relax_pipeline=pipeline(), system_lib=True)
    executable.export_library(output, fcompile=linker(Path(runtime)))


if __name__ == "__main__":
    main(*sys.argv[1:])

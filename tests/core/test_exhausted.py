"""The words in which libraries say that the memory of a GPU is used up."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core.usage.exhausted import out_of_gpu_memory

PYTORCH = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total "
    "capacity of 15.90 GiB of which 12.31 GiB is free."
)


@pytest.mark.parametrize(
    "line",
    [
        PYTORCH,
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB",
        "RuntimeError: CUDA error: out of memory",
        "MemoryError: std::bad_alloc: out_of_memory: CUDA error at x.hpp: CUDA_ERROR_OUT_OF_MEMORY",
        "terminate called after throwing an instance of 'std::runtime_error': "
        "cudaErrorMemoryAllocation: out of memory",
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8.00 MiB on device 0: "
        "cudaMalloc failed: out of memory",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to "
        "allocate 8589934592 bytes.",
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate "
        "1.00GiB with allocator GPU_0_bfc on device 0.",
        "numba.cuda.cudadrv.driver.CudaAPIError: [<CUresult.CUDA_ERROR_OUT_OF_MEMORY: 2>] Call to "
        "cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY",
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating "
        "tensor with shape[8192,8192]",
        "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,000,000,000 bytes",
    ],
)
def test_a_library_says_that_gpu_memory_is_used_up(line):
    assert out_of_gpu_memory(["epoch 1", f"  {line}\n", "", "[rank0] cleaning up"]) == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        "MemoryError",
        "OSError: [Errno 12] Cannot allocate memory",
        "bash: fork: Out of memory",
        "CUDA error: device-side assert triggered",
        "loaded the model, 3.2 GiB out of 16 GiB memory on CUDA",
        # JAX and TensorFlow reserve most of a GPU, in several attempts.
        "E1127 14:29:17.071719    1562 cuda_executor.cc:1365] [0] Failed to allocate device memory "
        "of 104.85GiB (112583507968 bytes): RESOURCE_EXHAUSTED: : CUDA_ERROR_OUT_OF_MEMORY: "
        "out of memory",
        "cuda_driver.cc:763] failed to allocate 14.76GiB (15843721216 bytes) from device: "
        "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
    ],
)
def test_other_errors_are_not_of_gpu_memory(line):
    assert out_of_gpu_memory([line]) == ""

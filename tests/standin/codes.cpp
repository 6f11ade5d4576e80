#include "codes.hpp"

#include <algorithm>
#include <array>

namespace warpwright::standin {

namespace {

constexpr std::array codes{
    Code{0, "CUDA_SUCCESS", "no error", "", false},
    Code{1, "CUDA_ERROR_INVALID_VALUE", "invalid argument", "invalid_value", false},
    Code{2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory", "out_of_memory", false},
    Code{3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error", "not_initialized", false},
    Code{100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected", "no_device", false},
    Code{101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal", "invalid_device", false},
    Code{200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid", "invalid_image", false},
    Code{201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context", "invalid_context", false},
    Code{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device",
         "no_binary_for_gpu", false},
    Code{400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle", "invalid_handle", false},
    Code{500, "CUDA_ERROR_NOT_FOUND", "named symbol not found", "not_found", false},
    Code{600, "CUDA_ERROR_NOT_READY", "device not ready", "not_ready", false},
    Code{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered", "illegal_address", true},
    Code{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch",
         "launch_out_of_resources", false},
    Code{702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated", "launch_timeout", true},
    Code{710, "CUDA_ERROR_ASSERT", "device-side assert triggered", "assert", true},
    Code{714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "hardware stack error", "stack", true},
    Code{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered", "illegal_instruction", true},
    Code{716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address", "misaligned", true},
    Code{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "operation not supported on global/shared address space",
         "invalid_address_space", true},
    Code{718, "CUDA_ERROR_INVALID_PC", "invalid program counter", "invalid_pc", true},
    Code{719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure", "trap", true},
    Code{720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch",
         "cooperative_launch_too_large", false},
    Code{801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported", "not_supported", false},
    Code{802, "CUDA_ERROR_SYSTEM_NOT_READY", "system not yet initialized", "system_not_ready", false},
    Code{912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cluster size is invalid for this launch", "invalid_cluster_size",
         false},
    Code{999, "CUDA_ERROR_UNKNOWN", "unknown error", "unknown", false},
};

}  // namespace

const Code* find_code(Result number) {
    const auto found =
        std::find_if(codes.begin(), codes.end(), [number](const Code& code) { return code.number == number; });
    return found == codes.end() ? nullptr : &*found;
}

std::optional<Result> code_by_name(const std::string& name) {
    for (const Code& code : codes) {
        if (name == code.name || (name == code.alias && !name.empty())) {
            return code.number;
        }
    }
    return std::nullopt;
}

}  // namespace warpwright::standin

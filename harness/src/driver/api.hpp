// The CUDA driver API as far as the harness uses it: types, constants and one table of functions, filled at run time.
// Declared here and not taken from cuda.h, so that building needs no CUDA. Source: CUDA Driver API reference, versions
// 12 and 13.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpwright::driver {

using Result = int;
using Device = int;
using DevicePointer = std::uint64_t;
using AllocationHandle = std::uint64_t;
using Context = struct OpaqueContext*;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Event = struct OpaqueEvent*;

struct Uuid {
    unsigned char bytes[16];
};

// CUmemLocation, CUmemAllocationProp, CUmemAccessDesc.
struct MemoryLocation {
    int type;
    int id;
};
struct AllocationProperties {
    int type;
    int requested_handle_types;
    MemoryLocation location;
    void* win32_handle_metadata;
    struct {
        unsigned char compression_type;
        unsigned char gpu_direct_rdma_capable;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};
struct AccessDescriptor {
    MemoryLocation location;
    int flags;
};

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
    int id;
    char padding[4];
    union {
        char bytes[64];
        struct {
            unsigned x, y, z;
        } cluster;
        int cooperative;
    } value;
};
struct LaunchConfiguration {
    unsigned grid_x, grid_y, grid_z;
    unsigned block_x, block_y, block_z;
    unsigned shared_bytes;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};

// Every function that the harness calls: X(member, exported name, parameters). All return a Result.
// The stand-in driver of the tests exports exactly these.
#define WARPWRIGHT_DRIVER_FUNCTIONS(X)                                                                                \
    X(init, "cuInit", (unsigned flags))                                                                               \
    X(driver_version, "cuDriverGetVersion", (int* version))                                                           \
    X(error_name, "cuGetErrorName", (Result code, const char** name))                                                 \
    X(error_string, "cuGetErrorString", (Result code, const char** text))                                             \
    X(device_count, "cuDeviceGetCount", (int* count))                                                                 \
    X(device_get, "cuDeviceGet", (Device * device, int ordinal))                                                      \
    X(device_name, "cuDeviceGetName", (char* name, int length, Device device))                                        \
    X(device_uuid, "cuDeviceGetUuid_v2", (Uuid * uuid, Device device))                                                \
    X(device_pci, "cuDeviceGetPCIBusId", (char* text, int length, Device device))                                     \
    X(device_memory, "cuDeviceTotalMem_v2", (std::size_t* bytes, Device device))                                      \
    X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, Device device))                           \
    X(primary_retain, "cuDevicePrimaryCtxRetain", (Context * context, Device device))                                 \
    X(primary_release, "cuDevicePrimaryCtxRelease_v2", (Device device))                                               \
    X(context_set_current, "cuCtxSetCurrent", (Context context))                                                      \
    X(context_set_limit, "cuCtxSetLimit", (int limit, std::size_t value))                                             \
    X(context_synchronize, "cuCtxSynchronize", ())                                                                    \
    X(context_reset_persisting, "cuCtxResetPersistingL2Cache", ())                                                    \
    X(memory_info, "cuMemGetInfo_v2", (std::size_t* free_bytes, std::size_t* total_bytes))                            \
    X(memory_allocate, "cuMemAlloc_v2", (DevicePointer * address, std::size_t bytes))                                 \
    X(memory_free, "cuMemFree_v2", (DevicePointer address))                                                           \
    X(host_allocate, "cuMemHostAlloc", (void** address, std::size_t bytes, unsigned flags))                           \
    X(host_device_pointer, "cuMemHostGetDevicePointer_v2", (DevicePointer * address, void* host, unsigned flags))     \
    X(host_free, "cuMemFreeHost", (void* address))                                                                    \
    X(copy_to_device, "cuMemcpyHtoDAsync_v2", (DevicePointer to, const void* from, std::size_t bytes, Stream stream)) \
    X(copy_to_host, "cuMemcpyDtoHAsync_v2", (void* to, DevicePointer from, std::size_t bytes, Stream stream))         \
    X(copy_on_device, "cuMemcpyDtoDAsync_v2",                                                                         \
      (DevicePointer to, DevicePointer from, std::size_t bytes, Stream stream))                                       \
    X(fill_bytes, "cuMemsetD8Async", (DevicePointer to, unsigned char value, std::size_t count, Stream stream))       \
    X(address_reserve, "cuMemAddressReserve",                                                                         \
      (DevicePointer * address, std::size_t bytes, std::size_t alignment, DevicePointer hint,                         \
       unsigned long long flags))                                                                                     \
    X(address_free, "cuMemAddressFree", (DevicePointer address, std::size_t bytes))                                   \
    X(allocation_granularity, "cuMemGetAllocationGranularity",                                                        \
      (std::size_t* bytes, const AllocationProperties* properties, int option))                                       \
    X(allocation_create, "cuMemCreate",                                                                               \
      (AllocationHandle * handle, std::size_t bytes, const AllocationProperties* properties,                          \
       unsigned long long flags))                                                                                     \
    X(allocation_release, "cuMemRelease", (AllocationHandle handle))                                                  \
    X(allocation_map, "cuMemMap",                                                                                     \
      (DevicePointer address, std::size_t bytes, std::size_t offset, AllocationHandle handle,                         \
       unsigned long long flags))                                                                                     \
    X(allocation_unmap, "cuMemUnmap", (DevicePointer address, std::size_t bytes))                                     \
    X(allocation_set_access, "cuMemSetAccess",                                                                        \
      (DevicePointer address, std::size_t bytes, const AccessDescriptor* access, std::size_t count))                  \
    X(module_load, "cuModuleLoadData", (Module * module, const void* image))                                          \
    X(module_unload, "cuModuleUnload", (Module module))                                                               \
    X(module_function, "cuModuleGetFunction", (Function * function, Module module, const char* name))                 \
    X(module_global, "cuModuleGetGlobal_v2",                                                                          \
      (DevicePointer * address, std::size_t* bytes, Module module, const char* name))                                 \
    X(function_attribute, "cuFuncGetAttribute", (int* value, int attribute, Function function))                       \
    X(function_set_attribute, "cuFuncSetAttribute", (Function function, int attribute, int value))                    \
    X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                       \
      (int* blocks, Function function, int block_size, std::size_t shared_bytes))                                     \
    X(stream_create, "cuStreamCreate", (Stream * stream, unsigned flags))                                             \
    X(stream_destroy, "cuStreamDestroy_v2", (Stream stream))                                                          \
    X(stream_query, "cuStreamQuery", (Stream stream))                                                                 \
    X(event_create, "cuEventCreate", (Event * event, unsigned flags))                                                 \
    X(event_destroy, "cuEventDestroy_v2", (Event event))                                                              \
    X(event_record, "cuEventRecord", (Event event, Stream stream))                                                    \
    X(event_query, "cuEventQuery", (Event event))                                                                     \
    X(event_elapsed_ms, "cuEventElapsedTime", (float* milliseconds, Event start, Event stop))                         \
    X(launch, "cuLaunchKernelEx",                                                                                     \
      (const LaunchConfiguration* configuration, Function function, void** parameters, void** extra))

// Functions of the loaded library. A null member is absent in this driver (cuLaunchKernelEx came with CUDA 11.8).
struct Api {
#define WARPWRIGHT_MEMBER(member, name, parameters) Result(*member) parameters = nullptr;
    WARPWRIGHT_DRIVER_FUNCTIONS(WARPWRIGHT_MEMBER)
#undef WARPWRIGHT_MEMBER
};

}  // namespace warpwright::driver

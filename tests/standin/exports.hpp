// The driver functions that this library exports, with the signatures of the harness's table: a definition that differs
// does not compile.
#pragma once

#include <type_traits>

#include "driver/api.hpp"

#ifdef _WIN32
#define STANDIN_EXPORT extern "C" __declspec(dllexport)
#else
#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))
#endif

#define STANDIN_DECLARE(member, name) \
    STANDIN_EXPORT std::remove_pointer_t<decltype(warpwright::driver::Api::member)> name

STANDIN_DECLARE(init, cuInit);
STANDIN_DECLARE(driver_version, cuDriverGetVersion);
STANDIN_DECLARE(error_name, cuGetErrorName);
STANDIN_DECLARE(error_string, cuGetErrorString);
STANDIN_DECLARE(device_count, cuDeviceGetCount);
STANDIN_DECLARE(device_get, cuDeviceGet);
STANDIN_DECLARE(device_name, cuDeviceGetName);
STANDIN_DECLARE(device_uuid, cuDeviceGetUuid_v2);
STANDIN_DECLARE(device_pci, cuDeviceGetPCIBusId);
STANDIN_DECLARE(device_memory, cuDeviceTotalMem_v2);
STANDIN_DECLARE(device_attribute, cuDeviceGetAttribute);
STANDIN_DECLARE(primary_retain, cuDevicePrimaryCtxRetain);
STANDIN_DECLARE(primary_release, cuDevicePrimaryCtxRelease_v2);
STANDIN_DECLARE(context_set_current, cuCtxSetCurrent);
STANDIN_DECLARE(context_set_limit, cuCtxSetLimit);
STANDIN_DECLARE(context_synchronize, cuCtxSynchronize);
STANDIN_DECLARE(context_reset_persisting, cuCtxResetPersistingL2Cache);
STANDIN_DECLARE(memory_info, cuMemGetInfo_v2);
STANDIN_DECLARE(memory_allocate, cuMemAlloc_v2);
STANDIN_DECLARE(memory_free, cuMemFree_v2);
STANDIN_DECLARE(host_allocate, cuMemHostAlloc);
STANDIN_DECLARE(host_device_pointer, cuMemHostGetDevicePointer_v2);
STANDIN_DECLARE(host_free, cuMemFreeHost);
STANDIN_DECLARE(copy_to_device, cuMemcpyHtoDAsync_v2);
STANDIN_DECLARE(copy_to_host, cuMemcpyDtoHAsync_v2);
STANDIN_DECLARE(copy_on_device, cuMemcpyDtoDAsync_v2);
STANDIN_DECLARE(fill_bytes, cuMemsetD8Async);
STANDIN_DECLARE(address_reserve, cuMemAddressReserve);
STANDIN_DECLARE(address_free, cuMemAddressFree);
STANDIN_DECLARE(allocation_granularity, cuMemGetAllocationGranularity);
STANDIN_DECLARE(allocation_create, cuMemCreate);
STANDIN_DECLARE(allocation_release, cuMemRelease);
STANDIN_DECLARE(allocation_map, cuMemMap);
STANDIN_DECLARE(allocation_unmap, cuMemUnmap);
STANDIN_DECLARE(allocation_set_access, cuMemSetAccess);
STANDIN_DECLARE(module_load, cuModuleLoadData);
STANDIN_DECLARE(module_unload, cuModuleUnload);
STANDIN_DECLARE(module_function, cuModuleGetFunction);
STANDIN_DECLARE(module_global, cuModuleGetGlobal_v2);
STANDIN_DECLARE(function_attribute, cuFuncGetAttribute);
STANDIN_DECLARE(function_set_attribute, cuFuncSetAttribute);
STANDIN_DECLARE(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor);
STANDIN_DECLARE(stream_create, cuStreamCreate);
STANDIN_DECLARE(stream_destroy, cuStreamDestroy_v2);
STANDIN_DECLARE(stream_query, cuStreamQuery);
STANDIN_DECLARE(event_create, cuEventCreate);
STANDIN_DECLARE(event_destroy, cuEventDestroy_v2);
STANDIN_DECLARE(event_record, cuEventRecord);
STANDIN_DECLARE(event_query, cuEventQuery);
STANDIN_DECLARE(event_elapsed_ms, cuEventElapsedTime);
STANDIN_DECLARE(launch, cuLaunchKernelEx);

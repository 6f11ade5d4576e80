#include "memory/host_words.hpp"

#include "driver/error.hpp"
#include "memory/lost_context.hpp"

namespace warpwright::memory {
namespace {

constexpr unsigned host_memory_mapped = 2;  // CU_MEMHOSTALLOC_DEVICEMAP

}  // namespace

HostWords::HostWords(const driver::Api& api, std::size_t count) : api_(api) {
    void* memory = nullptr;
    WARPWRIGHT_CALL(api_, host_allocate, &memory, count * sizeof(std::uint32_t), host_memory_mapped);
    words_ = static_cast<volatile std::uint32_t*>(memory);
    for (std::size_t index = 0; index < count; ++index) {
        words_[index] = 0;
    }
    const driver::Result code = api_.host_device_pointer(&address_, memory, 0);
    if (code != driver::success) {
        static_cast<void>(api_.host_free(memory));  // the destructor does not run for an object that was not made
        driver::check(api_, code, driver::exported_name("host_device_pointer"));
    }
}

// The memory stays where it is while a kernel may still look at it.
HostWords::~HostWords() {
    if (!context_is_lost()) {
        static_cast<void>(api_.context_synchronize());
        static_cast<void>(api_.host_free(const_cast<std::uint32_t*>(words_)));
    }
}

}  // namespace warpwright::memory

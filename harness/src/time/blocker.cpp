#include "time/blocker.hpp"

#include <atomic>

#include "driver/error.hpp"
#include "launch/own_kernel.hpp"
#include "memory/lost_context.hpp"

namespace warpwright::timing {
namespace {

constexpr std::uint64_t timeout_ns = 2'000'000'000;
constexpr unsigned host_memory_mapped = 2;  // CU_MEMHOSTALLOC_DEVICEMAP
constexpr std::size_t events = 2;
constexpr std::size_t clock_entries = 1;

}  // namespace

std::size_t UnitEntries::total() const { return fills + poisons + cache + events + zeroings + launches; }

std::size_t units_per_part(const UnitEntries& unit) { return (most_entries - clock_entries) / unit.total(); }

Blocker::Blocker(const Machine& machine)
    : api_(machine.api), stream_(machine.context.stream()), function_(machine.module(own_module).function("ww_block")) {
    void* memory = nullptr;
    WARPWRIGHT_CALL(api_, host_allocate, &memory, sizeof(Shared), host_memory_mapped);
    shared_ = static_cast<volatile Shared*>(memory);
    shared_->released = 1;
    shared_->timed_out = 0;
    const driver::Result code = api_.host_device_pointer(&address_, memory, 0);
    if (code != driver::success) {
        static_cast<void>(api_.host_free(memory));  // the destructor does not run for an object that was not made
        driver::check(api_, code, driver::exported_name("host_device_pointer"));
    }
}

// The memory stays where it is while a kernel may still look at it.
Blocker::~Blocker() {
    release();
    if (!memory::context_is_lost()) {
        static_cast<void>(api_.context_synchronize());
        static_cast<void>(api_.host_free(const_cast<Shared*>(shared_)));
    }
}

void Blocker::hold() {
    shared_->timed_out = 0;
    shared_->released = 0;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const driver::DevicePointer timed_out = address_ + sizeof(std::uint32_t);
    launch::launch_own(api_, function_, launch::Shape{1, 1, 0}, stream_, address_, timeout_ns, timed_out);
}

void Blocker::release() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    shared_->released = 1;
}

bool Blocker::timed_out() const { return shared_->timed_out != 0; }

}  // namespace warpwright::timing

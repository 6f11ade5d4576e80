#include "launch/event.hpp"

#include <utility>

#include "driver/error.hpp"
#include "memory/lost_context.hpp"

namespace warpwright::launch {

Event::Event(const driver::Api& api) : api_(&api) { WARPWRIGHT_CALL(api, event_create, &handle_, 0U); }

Event::Event(Event&& other) noexcept : api_(other.api_), handle_(std::exchange(other.handle_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
    if (this != &other) {
        release();
        api_ = other.api_;
        handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
}

Event::~Event() { release(); }

void Event::release() noexcept {
    if (handle_ != nullptr && !memory::context_is_lost()) {
        static_cast<void>(api_->event_destroy(handle_));
    }
    handle_ = nullptr;
}

void Event::record(driver::Stream stream) const { WARPWRIGHT_CALL(*api_, event_record, handle_, stream); }

double elapsed_us(const driver::Api& api, const Event& start, const Event& stop) {
    float milliseconds = 0.0F;
    WARPWRIGHT_CALL(api, event_elapsed_ms, &milliseconds, start.handle(), stop.handle());
    return static_cast<double>(milliseconds) * 1000.0;
}

}  // namespace warpwright::launch

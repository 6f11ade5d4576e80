// Events of the driver: when the stream came to a point, and how long it took between two.
#pragma once

#include "driver/api.hpp"

namespace warpwright::launch {

// Owns one event that keeps time and never puts the host to sleep.
class Event {
public:
    explicit Event(const driver::Api& api);
    Event(Event&& other) noexcept;
    Event& operator=(Event&& other) noexcept;
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event();

    void record(driver::Stream stream) const;
    [[nodiscard]] driver::Event handle() const { return handle_; }

private:
    void release() noexcept;

    const driver::Api* api_;
    driver::Event handle_ = nullptr;
};

// Both events must have been reached.
[[nodiscard]] double elapsed_us(const driver::Api& api, const Event& start, const Event& stop);

}  // namespace warpwright::launch

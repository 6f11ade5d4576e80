// Streams as worker threads with a virtual clock, and events that record it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "codes.hpp"

namespace warpwright::driver {

// One stream. Operations run in order on a thread of its own.
struct OpaqueStream : std::enable_shared_from_this<OpaqueStream> {
    // What a stream does. Returns a code; one that is not success kills the context.
    using Operation = std::function<Result(OpaqueStream&)>;

    static std::shared_ptr<OpaqueStream> start();

    void push(Operation operation);
    // No more operations; the thread ends after those that are queued.
    void finish();
    // Forgets what is queued and ends: the context is gone, and what operations refer to with it.
    void abandon();

    [[nodiscard]] bool is_idle() const;
    void wait_until_idle() const;
    // Operations that wait behind the one that runs.
    [[nodiscard]] std::size_t waiting() const;

    // The virtual clock: only operations of this stream touch it.
    void advance_us(double us);
    [[nodiscard]] std::uint64_t nanoseconds() const { return static_cast<std::uint64_t>(nanoseconds_); }
    [[nodiscard]] std::uint64_t cycles() const { return static_cast<std::uint64_t>(cycles_); }

private:
    void work();

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::deque<Operation> queue_;
    bool busy_ = false;
    bool finished_ = false;
    double nanoseconds_ = 1e15;
    double cycles_ = 1e9;
};

// One event. Recording it anew forgets the time before.
struct OpaqueEvent {
    void expect();  // recorded, not yet reached
    void reach(std::uint64_t nanoseconds, std::uint64_t recording);
    [[nodiscard]] std::uint64_t recording() const;
    [[nodiscard]] bool was_recorded() const;
    [[nodiscard]] bool is_ready() const;
    [[nodiscard]] std::uint64_t nanoseconds() const;

private:
    mutable std::mutex mutex_;
    std::uint64_t recording_ = 0;
    bool ready_ = true;
    std::uint64_t nanoseconds_ = 0;
};

}  // namespace warpwright::driver

#include "stream.hpp"

#include <thread>
#include <utility>

#include "world.hpp"

namespace warpwright::driver {

using standin::success;
using standin::World;

std::shared_ptr<OpaqueStream> OpaqueStream::start() {
    auto stream = std::make_shared<OpaqueStream>();
    std::thread([stream] { stream->work(); }).detach();
    return stream;
}

void OpaqueStream::push(Operation operation) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(operation));
    changed_.notify_all();
}

void OpaqueStream::finish() {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_all();
}

void OpaqueStream::abandon() {
    const std::lock_guard lock(mutex_);
    queue_.clear();
    finished_ = true;
    changed_.notify_all();
}

bool OpaqueStream::is_idle() const {
    const std::lock_guard lock(mutex_);
    return queue_.empty() && !busy_;
}

void OpaqueStream::wait_until_idle() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.empty() && !busy_; });
}

std::size_t OpaqueStream::waiting() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
}

void OpaqueStream::advance_us(double us) {
    nanoseconds_ += us * 1e3;
    cycles_ += us * World::get().clock_mhz();
}

void OpaqueStream::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return finished_ || !queue_.empty(); });
        if (queue_.empty()) {
            return;
        }
        const Operation operation = std::move(queue_.front());
        queue_.pop_front();
        busy_ = true;
        const bool alive = World::get().sticky() == success;  // a dead context does nothing more
        lock.unlock();
        if (alive) {
            if (const Result code = operation(*this); code != success) {
                World::get().kill(code);
            }
        }
        lock.lock();
        busy_ = false;
        changed_.notify_all();
    }
}

void OpaqueEvent::expect() {
    const std::lock_guard lock(mutex_);
    ++recording_;
    ready_ = false;
}

void OpaqueEvent::reach(std::uint64_t nanoseconds, std::uint64_t recording) {
    const std::lock_guard lock(mutex_);
    if (recording == recording_) {
        nanoseconds_ = nanoseconds;
        ready_ = true;
    }
}

std::uint64_t OpaqueEvent::recording() const {
    const std::lock_guard lock(mutex_);
    return recording_;
}

bool OpaqueEvent::was_recorded() const {
    const std::lock_guard lock(mutex_);
    return recording_ > 0;
}

bool OpaqueEvent::is_ready() const {
    const std::lock_guard lock(mutex_);
    return ready_;
}

std::uint64_t OpaqueEvent::nanoseconds() const {
    const std::lock_guard lock(mutex_);
    return nanoseconds_;
}

}  // namespace warpwright::driver

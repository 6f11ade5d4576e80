// Streams and events.
#include "exports.hpp"
#include "world.hpp"

namespace {

using namespace warpwright;
using standin::World;

}  // namespace

STANDIN_EXPORT int cuStreamCreate(driver::Stream* stream, unsigned) {
    STANDIN_ENTER("cuStreamCreate");
    *stream = World::get().streams.add(driver::OpaqueStream::start());
    return standin::success;
}

STANDIN_EXPORT int cuStreamDestroy_v2(driver::Stream stream) {
    STANDIN_ENTER("cuStreamDestroy_v2");
    const auto alive = World::get().streams.find(stream);
    if (alive == nullptr) {
        return standin::invalid_handle;
    }
    alive->finish();
    World::get().streams.remove(stream);
    return standin::success;
}

STANDIN_EXPORT int cuStreamQuery(driver::Stream stream) {
    STANDIN_ENTER("cuStreamQuery");
    const auto alive = World::get().streams.find(stream);
    if (alive == nullptr) {
        return standin::invalid_handle;
    }
    const bool idle = alive->is_idle();
    if (World::get().sticky() != standin::success) {
        return World::get().sticky();
    }
    return idle ? standin::success : standin::not_ready;
}

STANDIN_EXPORT int cuEventCreate(driver::Event* event, unsigned) {
    STANDIN_ENTER("cuEventCreate");
    *event = World::get().events.add(std::make_shared<driver::OpaqueEvent>());
    return standin::success;
}

STANDIN_EXPORT int cuEventDestroy_v2(driver::Event event) {
    STANDIN_ENTER("cuEventDestroy_v2");
    return World::get().events.remove(event) ? standin::success : standin::invalid_handle;
}

STANDIN_EXPORT int cuEventRecord(driver::Event event, driver::Stream handle) {
    STANDIN_ENTER("cuEventRecord");
    const auto stream = World::get().streams.find(handle);
    const auto alive = World::get().events.find(event);
    if (stream == nullptr || alive == nullptr) {
        return standin::invalid_handle;
    }
    alive->expect();
    stream->push([alive, recording = alive->recording()](driver::OpaqueStream& s) {
        World::get().log.write(
            {{"op", "event"}, {"event", reinterpret_cast<std::uintptr_t>(alive.get())}, {"ns", s.nanoseconds()}});
        alive->reach(s.nanoseconds(), recording);
        return standin::success;
    });
    return standin::success;
}

STANDIN_EXPORT int cuEventQuery(driver::Event event) {
    STANDIN_ENTER("cuEventQuery");
    const auto alive = World::get().events.find(event);
    if (alive == nullptr) {
        return standin::invalid_handle;
    }
    const bool ready = alive->is_ready();
    if (World::get().sticky() != standin::success) {
        return World::get().sticky();
    }
    return ready ? standin::success : standin::not_ready;
}

STANDIN_EXPORT int cuEventElapsedTime(float* milliseconds, driver::Event start, driver::Event stop) {
    STANDIN_ENTER("cuEventElapsedTime");
    const auto first = World::get().events.find(start);
    const auto second = World::get().events.find(stop);
    if (first == nullptr || second == nullptr || !first->was_recorded() || !second->was_recorded()) {
        return standin::invalid_handle;
    }
    if (!first->is_ready() || !second->is_ready()) {
        return standin::not_ready;
    }
    const double us = (static_cast<double>(second->nanoseconds()) - static_cast<double>(first->nanoseconds())) / 1e3;
    *milliseconds = static_cast<float>(World::get().reported_us(us) / 1e3);
    return standin::success;
}

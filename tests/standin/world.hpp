// The one GPU host that this library pretends to be: settings, memory, streams, sticky error, counts, log.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "codes.hpp"
#include "handles.hpp"
#include "log.hpp"
#include "memory.hpp"
#include "settings.hpp"
#include "stream.hpp"

namespace warpwright::standin {

struct ModuleImage;
struct KernelFunction;

}  // namespace warpwright::standin

namespace warpwright::driver {

struct OpaqueModule;
struct OpaqueFunction;

}  // namespace warpwright::driver

namespace warpwright::standin {

class World {
public:
    // Made at the first call and never destroyed: a hung stream's thread may outlive main.
    static World& get();

    // cuInit. Reads the settings and forgets what was, unless a context is alive.
    void initialise();

    // At the head of every driver function: counts the call; what it must return at once, or success.
    [[nodiscard]] Result enter(const char* call);

    [[nodiscard]] Result sticky() const { return sticky_.load(); }
    // The context is dead from here on. Returns the code that killed it.
    Result kill(Result code);

    // How often a kernel of this name was launched before. candidate: also counts for Throttle.
    [[nodiscard]] std::uint64_t count_launch(const std::string& kernel, bool candidate);
    [[nodiscard]] bool is_throttled() const;
    [[nodiscard]] double clock_mhz() const;
    // A standard normal number; the same sequence for the same seed.
    [[nodiscard]] double noise();
    // The elapsed time in us that cuEventElapsedTime gives for the true one.
    [[nodiscard]] double reported_us(double us);

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] Behaviour behaviour_of(const std::string& kernel) const;

    std::atomic<int> contexts{0};
    std::atomic<int> device{0};  // whose context was made last
    Memory memory;
    Handles<driver::OpaqueStream> streams;
    Handles<driver::OpaqueEvent> events;
    Handles<driver::OpaqueModule> modules;
    Log log;

private:
    Settings settings_;
    bool initialised_ = false;
    std::atomic<Result> sticky_{success};
    mutable std::mutex mutex_;
    std::map<std::string, std::uint64_t> calls_;
    std::map<std::string, std::uint64_t> launches_;
    std::uint64_t candidate_launches_ = 0;
    std::uint64_t elapsed_calls_ = 0;
    std::uint64_t random_ = 0;
};

}  // namespace warpwright::standin

// Returns from a driver function that must fail at once.
#define STANDIN_ENTER(name)                                                              \
    if (const int early = ::warpwright::standin::World::get().enter(name); early != 0) { \
        return early;                                                                    \
    }                                                                                    \
    static_cast<void>(0)

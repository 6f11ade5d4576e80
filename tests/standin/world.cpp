#include "world.hpp"

#include <cmath>
#include <cstring>

#include "module.hpp"
#include "pages.hpp"

namespace warpwright::standin {

namespace {

// Calls that a dead context still answers: they do not touch it.
bool needs_no_context(const char* call) {
    return std::strncmp(call, "cuDevice", 8) == 0 || std::strcmp(call, "cuInit") == 0 ||
           std::strcmp(call, "cuDriverGetVersion") == 0;
}

}  // namespace

World& World::get() {
    static World* const world = new World;
    return *world;
}

void World::initialise() {
    const std::lock_guard lock(mutex_);
    if (contexts > 0) {
        return;
    }
    if (!initialised_) {
        install_fault_handler();
    }
    initialised_ = true;
    for (const auto& stream : streams.all()) {
        stream->abandon();
    }
    settings_ = read_settings();
    sticky_ = success;
    calls_.clear();
    launches_.clear();
    candidate_launches_ = 0;
    elapsed_calls_ = 0;
    random_ = settings_.seed;
    streams.clear();
    events.clear();
    modules.clear();
    memory.reset(settings_.memory_bytes, settings_.granule_bytes);
    log.open(settings_.log);
}

Result World::enter(const char* call) {
    Result code = success;
    {
        const std::lock_guard lock(mutex_);
        if (!initialised_) {
            return not_initialized;
        }
        const std::uint64_t number = calls_[call]++;
        for (const FailingCall& rule : settings_.fail) {
            if (rule.call == call && number >= rule.at && number - rule.at < rule.count) {
                code = rule.code;
            }
        }
    }
    if (settings_.log_calls) {
        log.write({{"op", "call"}, {"call", call}, {"code", code}});
    }
    if (const Code* row = find_code(code); row != nullptr && row->sticky) {
        kill(code);
    }
    return code == success && !needs_no_context(call) ? sticky() : code;
}

Result World::kill(Result code) {
    Result expected = success;
    sticky_.compare_exchange_strong(expected, code);
    return sticky();
}

std::uint64_t World::count_launch(const std::string& kernel, bool candidate) {
    const std::lock_guard lock(mutex_);
    candidate_launches_ += candidate ? 1 : 0;
    return launches_[kernel]++;
}

bool World::is_throttled() const {
    const std::lock_guard lock(mutex_);
    return settings_.throttle && candidate_launches_ >= settings_.throttle->from_launch &&
           candidate_launches_ < settings_.throttle->until_launch;
}

double World::clock_mhz() const {
    return settings_.clock_mhz * (is_throttled() ? settings_.throttle->clock_ratio : 1.0);
}

// The sum of twelve uniform numbers less six; each by splitmix64 (Steele et al., "Fast splittable pseudorandom number
// generators", 2014).
double World::noise() {
    const std::lock_guard lock(mutex_);
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) {
        std::uint64_t z = (random_ += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        sum += static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }
    return sum;
}

double World::reported_us(double us) {
    const std::lock_guard lock(mutex_);
    if (elapsed_calls_++ >= settings_.false_time.from) {
        return settings_.false_time.us;
    }
    const double step = settings_.event_resolution_us;
    return step > 0 ? std::round(us / step) * step : us;
}

Behaviour World::behaviour_of(const std::string& kernel) const {
    auto found = settings_.kernels.find(kernel);
    if (found == settings_.kernels.end() && kernel.rfind("ww_", 0) != 0) {
        found = settings_.kernels.find("*");
    }
    if (found == settings_.kernels.end() || (found->second.device >= 0 && found->second.device != device)) {
        return Behaviour{};
    }
    return found->second;
}

}  // namespace warpwright::standin

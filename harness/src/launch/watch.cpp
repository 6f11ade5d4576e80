#include "launch/watch.hpp"

#include <algorithm>
#include <sstream>
#include <thread>

#include "memory/lost_context.hpp"

namespace warpwright::launch {

namespace {

using std::chrono::microseconds;
using std::chrono::steady_clock;

constexpr microseconds spin_time(50);
constexpr microseconds shortest_sleep(50);
constexpr microseconds longest_sleep(200);

[[noreturn]] void throw_timeout(const Deadline& deadline, const Origin& origin) {
    memory::mark_context_lost();
    std::ostringstream text;
    if (origin.launch) {
        text << "launch " << *origin.launch << " (" << origin.entry << ") ";
    } else {
        text << "the launches ";
    }
    text << "did not end within " << deadline.limit_s() << " s";
    CandidateFault fault("timeout", text.str(), true);
    fault.launch = origin.launch;
    fault.entry = origin.entry;
    throw fault;
}

}  // namespace

Deadline::Deadline(double seconds) : start_(steady_clock::now()), limit_s_(seconds) {}

bool Deadline::passed() const { return elapsed_s() >= limit_s_; }

double Deadline::elapsed_s() const { return std::chrono::duration<double>(steady_clock::now() - start_).count(); }

void await(const driver::Api& api, const Event& event, const Deadline& deadline, const Origin& origin) {
    const auto spin_until = steady_clock::now() + spin_time;
    microseconds sleep = shortest_sleep;
    while (true) {
        const driver::Result code = api.event_query(event.handle());
        if (code == driver::success) {
            return;
        }
        if (code != driver::not_ready) {
            throw_fault(driver::DriverError(api, code, driver::exported_name("event_query")), origin);
        }
        if (deadline.passed()) {
            throw_timeout(deadline, origin);
        }
        if (steady_clock::now() >= spin_until) {
            std::this_thread::sleep_for(sleep);
            sleep = (std::min)(sleep + sleep / 4, longest_sleep);
        }
    }
}

}  // namespace warpwright::launch

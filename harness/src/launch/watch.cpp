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

// What a query says that is neither "ready" nor "not ready". Without a sticky error the work may still be running.
[[noreturn]] void throw_failure(const driver::DriverError& error, const Origin& origin) {
    if (!driver::is_sticky(error.code())) {
        memory::mark_context_lost();
        throw error;
    }
    throw_fault(error, origin);
}

// query: asks the driver whether the work has ended. call: the exported name of what it asks.
template <class Query>
void poll(const driver::Api& api, const Query& query, const char* call, const Deadline& deadline,
          const Origin& origin) {
    const auto spin_until = steady_clock::now() + spin_time;
    microseconds sleep = shortest_sleep;
    for (driver::Result code = query(); code != driver::success; code = query()) {
        if (code != driver::not_ready) {
            throw_failure(driver::DriverError(api, code, call), origin);
        }
        if (deadline.passed()) {
            memory::mark_context_lost();
            if (!candidate_was_launched()) {
                throw driver::DriverError(api, code, call);
            }
            throw_timeout(deadline, origin);
        }
        if (steady_clock::now() >= spin_until) {
            std::this_thread::sleep_for(sleep);
            sleep = (std::min)(sleep + sleep / 4, longest_sleep);
        }
    }
}

}  // namespace

Deadline::Deadline(double seconds) : start_(steady_clock::now()), limit_s_(seconds) {}

bool Deadline::passed() const { return elapsed_s() >= limit_s_; }

double Deadline::elapsed_s() const { return std::chrono::duration<double>(steady_clock::now() - start_).count(); }

void await(const driver::Api& api, const Event& event, const Deadline& deadline, const Origin& origin) {
    const auto query = [&] { return api.event_query(event.handle()); };
    poll(api, query, driver::exported_name("event_query"), deadline, origin);
}

void drain(const driver::Api& api, driver::Stream stream, const Deadline& deadline, const Origin& origin) {
    const auto query = [&] { return api.stream_query(stream); };
    poll(api, query, driver::exported_name("stream_query"), deadline, origin);
}

}  // namespace warpwright::launch

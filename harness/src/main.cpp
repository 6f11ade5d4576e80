// warpwright-harness: runs compiled kernels on one NVIDIA GPU on behalf of another process (docs/harness.md).
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "driver/error.hpp"
#include "driver/library.hpp"
#include "protocol/channel.hpp"
#include "protocol/exchange.hpp"
#include "service/build.hpp"
#include "service/command_line.hpp"
#include "service/exit_codes.hpp"
#include "service/loop.hpp"
#include "service/process.hpp"
#include "service/properties.hpp"
#include "service/service.hpp"

namespace {

using namespace warpwright;

int fail(int code, const std::string& message) {
    std::fprintf(stderr, "warpwright-harness: %s\n", message.c_str());
    return code;
}

// What the command line names: that it cannot be opened is bad usage.
Descriptor open_job(const std::string& path) {
    try {
        return open_to_read(path);
    } catch (const std::system_error& error) {
        throw UsageError(std::string("cannot open ") + error.what());
    }
}

std::optional<Exchange> open_exchange(const std::string& folder) {
    try {
        return folder.empty() ? std::nullopt : std::optional<Exchange>(folder);
    } catch (const std::system_error& error) {
        throw UsageError(std::string("cannot use ") + error.what());
    }
}

int serve_requests(const CommandLine& line, bool once) {
    Descriptor in = once ? open_job(line.job) : take_standard_input();
    std::optional<Exchange> exchange = open_exchange(line.exchange);
    Channel channel(std::move(in), take_standard_output(), exchange ? &*exchange : nullptr);
    const driver::Library library(line.driver);
    ServiceOptions options{launch_serialiser(), once, exchange ? &*exchange : nullptr};
    if (once && !options.profiled) {
        options.profiled = "a recorded job runs without a blocker";
    }
    Service service(library.api(), options);
    return serve(channel, service, once);
}

int run(const CommandLine& line) {
    switch (line.command) {
        case Command::serve:
            return serve_requests(line, false);
        case Command::run_once:
            return serve_requests(line, true);
        case Command::properties:
            std::printf("%s\n", properties(driver::Library(line.driver).api()).c_str());
            return exit_done;
        case Command::version:
            std::printf("warpwright-harness %s (build %s)\n", harness_version, build_hash);
            return exit_done;
        case Command::help:
            std::printf("%s", usage);
            return exit_done;
    }
    return exit_usage;
}

}  // namespace

int main(int count, char** words) {
    try {
        const CommandLine line = parse_command_line({words + 1, words + count});
        prepare_driver();  // before there is another thread: the environment belongs to all
        prepare_process();
        return run(line);
    } catch (const UsageError& error) {
        return fail(exit_usage, error.what());
    } catch (const driver::DriverUnavailable& error) {
        return fail(exit_no_driver, error.what());
    } catch (const driver::DriverError& error) {
        return fail(exit_no_driver, error.what());
    } catch (const ProtocolError& error) {
        return fail(exit_no_request, error.what());
    } catch (const std::exception& error) {  // the reader has gone, or the host's memory is used up
        return fail(exit_failed, error.what());
    }
}

#include "service/loop.hpp"

#include <cstdlib>
#include <utility>

#include "service/exit_codes.hpp"

namespace warpwright {

int serve(Channel& channel, Service& service, bool once) {
    bool failed = false;
    while (std::optional<Request> request = channel.read()) {
        nlohmann::ordered_json reply = {{"id", request->id}};
        Answer answer = service.answer(std::move(*request));
        reply.update(answer.reply.body);
        channel.write(std::move(reply), answer.reply.attachments);
        failed = failed || answer.failed;
        if (answer.dead) {
            std::_Exit(exit_dead_context);
        }
        if (answer.exit_code) {
            return *answer.exit_code;
        }
    }
    return once && failed ? exit_failed : exit_done;
}

}  // namespace warpwright

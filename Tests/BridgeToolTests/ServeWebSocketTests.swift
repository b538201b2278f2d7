// Tests of the options of `bridge serve --websocket`. Tests/Clients/check_pages.py tests the
// service.

import POSIX
import SerialPorts
import TestSupport
import Testing

@Suite struct ServeWebSocketTests {
    @Test(arguments: [
        (["--websocket", "70000"], "expected a port from 0 to 65535"),
        (["--websocket-origin", "https://example.com"], "--websocket-origin needs --websocket"),
        (["--websocket", "0", "--websocket-origin", "null"], "such as https://example.com"),
        (["--websocket", "0", "--websocket-origin", "https://a.example/b"], "without a path"),
        (["--websocket", "0", "--until-idle"], "--until-idle and --websocket cannot be combined"),
    ])
    func optionsThatAreWrongAreRefused(arguments: [String], expected: String) throws {
        let outcome = try RunningTool(
            Tool.executable("bridge"), ["serve", "--port", "/dev/null"] + arguments
        ).outcome()
        #expect(outcome.status == 64 && outcome.errors.contains(expected), "\(outcome)")
    }

    @Test func aPortThatIsTakenIsNamed() throws {
        let listener = try NetworkAddress.listen(at: "0")
        defer { close(listener.descriptor) }
        let port = listener.path.split(separator: ":").last!
        let outcome = try Tool.bridge("serve", "--virtual", "--websocket", String(port))
        #expect(outcome.status == 75 && outcome.output.isEmpty, "\(outcome)")
        #expect(
            outcome.errors.hasPrefix(
                "bridge: --websocket 127.0.0.1:\(port): another program uses this port\n"),
            "\(outcome)")
    }
}

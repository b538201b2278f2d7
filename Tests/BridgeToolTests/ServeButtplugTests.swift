// Tests of the options of `bridge serve --buttplug`. Tests/Clients/check_buttplug.py tests the
// service.

import POSIX
import SerialPorts
import TestSupport
import Testing

@Suite struct ServeButtplugTests {
    @Test(arguments: [
        (["--buttplug", "70000"], "expected a port from 0 to 65535"),
        (["--buttplug-origin", "https://example.com"], "--buttplug-origin needs --buttplug"),
        (["--buttplug", "0", "--buttplug-origin", "null"], "such as https://example.com"),
        (["--buttplug", "0", "--buttplug-origin", "https://a.example/b"], "without a path"),
        (["--buttplug", "0", "--until-idle"], "--until-idle and --buttplug cannot be combined"),
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
        let outcome = try Tool.bridge("serve", "--virtual", "--buttplug", String(port))
        #expect(outcome.status == 75 && outcome.output.isEmpty, "\(outcome)")
        #expect(
            outcome.errors == """
                bridge: --buttplug 127.0.0.1:\(port): another program uses this port
                  end that program, or choose another port

                """)
    }
}

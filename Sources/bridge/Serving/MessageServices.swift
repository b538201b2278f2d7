// MessageServices: the services that receive messages from other programs while a board is served.

import BoardSharing
import HapticBridge
import ToolSupport

/// The services for Open Sound Control, for Buttplug messages, for pages and for games, which the
/// options request. The services can be started again after they have ended, and then keep their
/// addresses.
struct MessageServices {
    private var oscOptions: OSCOptions
    private var buttplugOptions: ButtplugOptions
    private var webSocketOptions: WebSocketOptions
    /// Creates a gamepad with a name; nil if none is requested.
    private let makeGamepad: ((String) throws -> any RumbleGamepad)?
    private let webSocketKey = WebSocketKey()
    private var osc: OSCService?
    private var buttplug: ButtplugService?
    private var webSocket: WebSocketService?
    private var rumble: RumbleService?

    init(
        osc: OSCOptions, buttplug: ButtplugOptions, webSocket: WebSocketOptions,
        makeGamepad: ((String) throws -> any RumbleGamepad)?
    ) {
        (oscOptions, buttplugOptions, webSocketOptions) = (osc, buttplug, webSocket)
        self.makeGamepad = makeGamepad
    }

    /// The address of each service; nil if the service is not running.
    var oscAddress: String? { osc?.address }
    var buttplugAddress: String? { buttplug?.address }
    var webSocketAddress: String? { webSocket?.address }
    var gamepadPath: String? { rumble?.path }

    /// The addresses, as text that completes a sentence.
    var text: String {
        (oscAddress.map { "; OSC at udp \($0)" } ?? "")
            + (buttplugAddress.map { "; Buttplug messages at \($0)" } ?? "")
            + (webSocketAddress.map { "; pages at \($0)" } ?? "")
            + (gamepadPath.map { "; a gamepad at \($0)" } ?? "")
    }

    /// Starts the requested services. Throws `ToolError`.
    ///
    /// - Parameter pages: the listener that pages connect to; nil if the options request no pages.
    mutating func start(
        on device: HapticDevice, pages: InternalListener?, _ output: OutputOptions
    ) throws {
        if oscOptions.osc != nil { osc = try OSCService(oscOptions, on: device, output) }
        oscOptions.osc = osc?.address
        if buttplugOptions.buttplug != nil {
            let service = try ButtplugService(buttplugOptions, on: device, output)
            buttplugOptions.buttplug = "\(service.port)"
            buttplug = service
        }
        rumble = try makeGamepad.map { try RumbleService(on: device, $0, output) }
        guard let pages else { return }
        let service = try WebSocketService(webSocketOptions, webSocketKey, to: pages, output)
        webSocketOptions.webSocket = "\(service.port)"
        webSocket = service
    }

    /// Ends the services, and prints the statistics of the OSC messages.
    mutating func end(_ output: OutputOptions) {
        rumble?.end()
        webSocket?.end()
        buttplug?.end()
        if let report = osc?.end() {
            // A closed output is not an error at this point.
            try? output.result(report.json, text: report.text)
        }
        (osc, buttplug, webSocket, rumble) = (nil, nil, nil, nil)
    }
}

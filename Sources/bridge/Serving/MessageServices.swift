// MessageServices: the services that receive messages of other programs while a board is served.

import HapticBridge
import ToolSupport

/// The services for Open Sound Control and for Buttplug messages, which the options request. They
/// can be started again after they have ended; they then keep their addresses.
struct MessageServices {
    private var oscOptions: OSCOptions
    private var buttplugOptions: ButtplugOptions
    private var osc: OSCService?
    private var buttplug: ButtplugService?

    init(osc: OSCOptions, buttplug: ButtplugOptions) {
        (oscOptions, buttplugOptions) = (osc, buttplug)
    }

    /// The address of each service; nil if it does not run.
    var oscAddress: String? { osc?.address }
    var buttplugAddress: String? { buttplug?.address }

    /// The addresses, as the end of a sentence.
    var text: String {
        (oscAddress.map { "; OSC at udp \($0)" } ?? "")
            + (buttplugAddress.map { "; Buttplug messages at \($0)" } ?? "")
    }

    /// Starts the requested services. Throws `ToolError`.
    mutating func start(on device: HapticDevice, _ output: OutputOptions) throws {
        if oscOptions.osc != nil { osc = try OSCService(oscOptions, on: device, output) }
        oscOptions.osc = osc?.address
        guard buttplugOptions.buttplug != nil else { return }
        let service = try ButtplugService(buttplugOptions, on: device, output)
        buttplugOptions.buttplug = "\(service.port)"
        buttplug = service
    }

    /// Ends the services, and prints the statistics of the OSC messages.
    mutating func end(_ output: OutputOptions) {
        buttplug?.end()
        if let report = osc?.end() {
            // A closed output is not an error at this point.
            try? output.result(report.json, text: report.text)
        }
        (osc, buttplug) = (nil, nil)
    }
}

// bridge audition: presents the board to a pattern editor as a haptic device.

import ArgumentParser
import BridgeLink
import Foundation
import HapticBridge
import JSONText
import SerialPorts
import ToolSupport

struct Audition: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Feel each edit in Meta Haptics Studio or Haptrix on the board.",
        discussion: """
            The board appears in the editor as a device, like a headset or a phone. Each edit is \
            felt immediately; playback starts just before the change. The editor may run on this \
            computer or on another computer in the network.

            The command finds Meta Haptics Studio by its broadcasts, and Haptrix with \
            avahi-browse (from Avahi); --connect specifies the address of either editor. When an editor \
            ends, the command waits for another editor. Ctrl-C ends the audition and brings the \
            actuator to rest.

            Examples:
              bridge audition
              bridge audition studio --code 1234
              bridge audition haptrix --connect 192.168.1.5:50123
            """)

    @Argument(help: "The editor: studio or haptrix; by default, the first editor that is found.")
    var editor: Editor?

    @Option(
        help: ArgumentHelp(
            "The address of the editor; by default, the network is searched.",
            discussion: "The default port is 9999 for Meta Haptics Studio.",
            valueName: "host:port"))
    var connect: String?

    @Option(
        help: ArgumentHelp(
            "The digits that Meta Haptics Studio shows; by default, the command asks for them.",
            discussion: "The digits are needed only the first time; afterwards, the editor "
                + "recognizes this device.",
            valueName: "digits"))
    var code: String?

    @Option(
        help: ArgumentHelp(
            "The locality, for a board with several actuators; see `bridge help play`."))
    var locality: HapticLocality?

    @OptionGroup(title: "Board options") var board: ConnectedBoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    /// The time between the loss of the connection to an editor and the next attempt to connect, in
    /// microseconds.
    private static let retry: Microseconds = 1_000_000

    func validate() throws {
        if connect != nil, editor == nil {
            throw ValidationError("--connect needs the name of the editor: studio or haptrix.")
        }
        if code != nil, editor == .haptrix {
            throw ValidationError("--code is for Meta Haptics Studio; Haptrix needs no code.")
        }
    }

    func run() throws {
        let address = try connect.map { try EditorAddress(editor!, $0) }
        let port = try board.onlyPort()
        let player = AuditionPlayer(
            device: board.device(at: port), locality: locality ?? .default, port: port,
            output)
        try Interruption.deferred {
            // The connection is tested first, so that a missing board is reported before the search
            // for an editor starts.
            defer { player.rest() }
            try player.start()
            let search = try EditorSearch(for: editor, at: address, output)
            defer { search.close() }
            let digits = TypedDigits(code)
            var refusal: String?
            while let address = search.next() {
                let device = try DeviceIdentity.device(version: toolVersion)
                let session = AuditionSession(address, device, player, digits, output)
                refusal = try session.run(reported: refusal)
                let end = Link.now() + Self.retry
                while !Interruption.isRequested, Link.now() < end { hostClock.sleep(for: 20_000) }
            }
        }
        if let status = Interruption.status {
            throw ToolError(status, "stopped; the actuator is at rest")
        }
    }
}

/// An editor that the command supports.
enum Editor: String, CaseIterable, ExpressibleByArgument {
    case studio
    case haptrix

    var name: String {
        switch self {
        case .studio: "Meta Haptics Studio"
        case .haptrix: "Haptrix"
        }
    }
}

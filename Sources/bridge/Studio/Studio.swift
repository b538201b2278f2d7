// bridge studio: serves a page for editing and feeling patterns.

import ArgumentParser
import BridgeLink
import Foundation
import HapticBridge
import LocalServers
import Studio
import ToolSupport

struct Studio: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Edit patterns in the browser, and feel each change as it is made.",
        discussion: """
            Opens a page that only this user can access, and only on this computer. The page shows \
            the design next to the predicted motion of the connected actuator, and plays each \
            change immediately. An edit changes only the affected bytes of the file, and the page \
            shows changes that another editor saves. Without a board, everything works except \
            playback. With an accelerometer on the board, Measure records the vibration and draws \
            it over the prediction, as `bridge measure` does.

            Text that is not saved when the studio ends is stored in FILE.unsaved in the same \
            folder; if that file exists, a number is added to the name. If the folder cannot be \
            written, the text is stored in the user's state folder. Ctrl-C ends the studio and \
            brings the actuator to rest.

            The address of the page is valid for one browser. When another browser requests the \
            page, a new address is printed for it.

            Examples:
              bridge studio
              bridge studio pattern.ahap
              bridge studio --virtual --no-browser patterns/
            """)

    @Argument(help: "An AHAP file, or a folder of AHAP files; the current folder by default.")
    var place: String = "."

    @Flag(help: "Print the address of the page instead of opening it in the browser.")
    var noBrowser = false

    @Option(
        name: .customLong("page-port"),
        help: ArgumentHelp(
            "The TCP port of the page; a free port by default.", valueName: "number"))
    var pagePort = 0

    @Option(
        help: ArgumentHelp(
            "The locality to play on, for a board with several actuators: as for `bridge play`."))
    var locality: HapticLocality?

    @Option(help: "The axis of the accelerometer that is recorded to measure: x, y or z.")
    var axis = SensorAxis.z

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard 0...65_535 ~= pagePort else {
            throw ValidationError("--page-port must be 0 to 65535.")
        }
    }

    /// A page server: its address, and a closure that stops it.
    typealias Server = (url: String, close: () -> Void)

    func run() throws {
        try run { inbox in
            let server = try server(inbox)
            return (server.url, server.close)
        }
    }

    /// Runs the studio with the page server that a closure creates.
    func run(serving: (StudioInbox) throws -> Server) throws {
        let (folder, file) = try StudioFolder.opened(place)
        let inbox = try StudioInbox()
        let player = StudioPlayer(
            device: try board.device(), locality: locality ?? .default, axis: axis,
            inbox: inbox)
        let service = try StudioService(folder, player, inbox, output)
        try Interruption.deferred {
            defer {
                service.end()
                inbox.close()
            }
            let server = try serving(inbox)
            defer { server.close() }
            let url = server.url
            try announce(url, folder.path)
            service.offeredURL = url
            try service.run(opening: file)
        }
        if let status = Interruption.status {
            throw ToolError(
                status, player.absence == nil ? "ended; the actuator is at rest" : "ended")
        }
    }

    private func server(_ inbox: StudioInbox) throws -> LocalWebServer {
        do {
            return try LocalWebServer(
                port: pagePort, files: StudioPage.files,
                onOpen: { inbox.post(.opened($0)) },
                onMessage: { inbox.post(.message($0, $1)) },
                onClose: { inbox.post(.closed($0)) },
                onUnauthorized: { inbox.post(.stranger($0)) })
        } catch let error as PortRefusal {
            throw ToolError(error, of: "--page-port", at: pagePort)
        }
    }

    private func announce(_ url: String, _ folder: String) throws {
        try output.address(url, of: folder)
        guard !noBrowser else { return }
        if !StudioPage.open(url) {
            output.remark("no browser can be opened; open the address above in a browser")
        }
    }
}

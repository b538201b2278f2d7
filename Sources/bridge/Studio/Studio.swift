// bridge studio: a page on which patterns are edited and felt.

import ArgumentParser
import BridgeLive
import Foundation
import HapticBridge
import JSONText

struct Studio: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Edit patterns in the browser, and feel each change as it is made.",
        discussion: """
            Opens a page that only this user of this computer can reach. It shows what is designed \
            beside what the connected actuator is predicted to do, and plays each change at once. \
            The file is the truth: an edit changes only the bytes it is about, and a save from \
            another editor shows in the page. Without a board, everything but feeling works.

            Text that is not saved when the studio ends is kept beside the file as FILE.unsaved, or \
            with a number if there is such a file. \
            Ctrl-C ends the studio; the actuator is then at rest.

            The address of the page lets one browser in. When another one asks for the page, the \
            address for that one is printed.

            Examples:
              bridge studio
              bridge studio pattern.ahap
              bridge studio --virtual --no-browser patterns/
            """)

    @Argument(help: "An AHAP file, or a folder of them; otherwise the present folder.")
    var place: String = "."

    @Flag(help: "Print the address of the page, instead of opening it in the browser.")
    var noBrowser = false

    @Option(
        name: .customLong("page-port"),
        help: ArgumentHelp(
            "The TCP port of the page, instead of one that is free.", valueName: "number"))
    var pagePort = 0

    @Option(
        help: ArgumentHelp(
            "The locality to play on, for a board with several actuators: as for `bridge play`."))
    var locality: HapticLocality?

    @OptionGroup(title: "Board options") var board: BoardOptions
    @OptionGroup(title: "Output options") var output: OutputOptions

    func validate() throws {
        guard 0...65_535 ~= pagePort else {
            throw ValidationError("--page-port is 0 to 65535.")
        }
    }

    /// A server of pages: its address, and the closure that ends it.
    typealias Server = (url: String, close: () -> Void)

    func run() throws {
        try run { inbox in
            let server = try server(inbox)
            return (server.url, server.close)
        }
    }

    /// Runs the studio with pages that a server opens.
    func run(serving: (StudioInbox) throws -> Server) throws {
        let (folder, file) = try StudioFolder.opened(place)
        let inbox = try StudioInbox()
        let player = StudioPlayer(
            device: try board.device(), locality: locality ?? .default, inbox: inbox)
        let service = try StudioService(folder, player, inbox, output)
        try Interruption.deferred {
            defer { service.end() }
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
                onStranger: { inbox.post(.stranger($0)) })
        } catch {
            throw ToolError(
                .cannotCreate, "--page-port 127.0.0.1:\(pagePort): the page cannot be served there",
                advice:
                    "another program may use the port: choose another one, or leave the option out")
        }
    }

    private func announce(_ url: String, _ folder: String) throws {
        try output.address(url, of: folder)
        guard !noBrowser else { return }
        if !StudioPage.open(url) {
            output.remark("no browser can be opened from here; open the address above by hand")
        }
    }
}

extension OutputOptions {
    /// Prints an address of the page.
    func address(_ url: String, of folder: String) throws {
        try result(
            ["schema": "bridge.studio/1", "url": .string(url), "folder": .string(folder)],
            text: url)
    }
}

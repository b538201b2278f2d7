// EditorSearch: searches the network for editors.

import BridgeLink
import Foundation
import HapticBridge
import JSONText
import LocalServers
import ProgramProtocols
import SerialPorts
import Synchronization
import ToolSupport

/// Searches for an editor in the background.
final class EditorSearch {
    private let address: EditorAddress?
    private let output: OutputOptions
    private let found = Found()
    private var studio: BroadcastReceiver?

    /// An editor that has been found and that `next` has not yet returned.
    private final class Found: Sendable {
        struct State {
            var address: EditorAddress?
            var note: String?
            var isClosed = false
        }

        let state = Mutex(State())
    }

    /// The interval between two queries to Avahi, in microseconds.
    private static let interval: Microseconds = 2_000_000

    /// Starts the search, unless the address is known. Throws `ToolError` if no search is possible.
    init(for editor: Editor?, at address: EditorAddress?, _ output: OutputOptions) throws(ToolError)
    {
        self.address = address
        self.output = output
        guard address == nil else { return }
        if editor != .haptrix { studio = try listen() }
        if editor != .studio { try browse(isNeeded: editor == .haptrix) }
        output.remark("waiting for \(editor?.name ?? "an editor"); press Ctrl-C to end")
    }

    func close() {
        found.state.withLock { $0.isClosed = true }
        studio?.close()
    }

    /// Waits for an editor and returns its address; nil if a signal requests the end.
    func next() -> EditorAddress? {
        found.state.withLock { $0.address = nil }
        while !Interruption.isRequested {
            let (address, note) = found.state.withLock { state in
                defer { state.note = nil }
                return (self.address ?? state.address, state.note)
            }
            if let note { output.remark(note) }
            if let address { return address }
            hostClock.sleep(for: 20_000)
        }
        return nil
    }

    private func listen() throws(ToolError) -> BroadcastReceiver {
        let port = StudioAnnouncement.listeningPort
        do {
            return try BroadcastReceiver(port: port) { [found] datagram, sender in
                guard let announcement = StudioAnnouncement(datagram) else { return }
                let address = EditorAddress(
                    .studio, host: sender, port: announcement.port,
                    computer: announcement.hostname)
                found.state.withLock { $0.address = $0.address ?? address }
            }
        } catch {
            throw ToolError(
                .busy,
                "UDP port \(port), on which Meta Haptics Studio announces itself, cannot be used: "
                    + "another program uses it",
                advice: "specify the address: bridge audition studio --connect HOST")
        }
    }

    /// Queries Avahi repeatedly.
    private func browse(isNeeded: Bool) throws(ToolError) {
        guard let program = Avahi.program else {
            guard isNeeded else { return }
            throw ToolError(
                .toolMissing, "avahi-browse, which finds Haptrix in the network, is not installed",
                advice: "on Debian and Ubuntu: sudo apt install avahi-utils",
                "or specify the address: bridge audition haptrix --connect HOST:PORT")
        }
        Thread.detachNewThread { [found] in
            var isReported = !isNeeded
            while !found.state.withLock({ $0.isClosed }) {
                let (services, failure) = Avahi.services(by: program)
                found.state.withLock { state in
                    if let service = services.first {
                        state.address =
                            state.address
                            ?? EditorAddress(
                                .haptrix, host: service.address, port: service.port,
                                computer: service.name)
                    } else if let failure, !isReported {
                        isReported = true
                        state.note = "avahi-browse: \(failure)"
                    }
                }
                hostClock.sleep(for: Self.interval)
            }
        }
    }
}

/// The Avahi program that lists services in the network.
private enum Avahi {
    /// The path of the program in `PATH`; nil if it is not installed.
    static var program: URL? {
        let folders = (HostProgram.current.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(fileURLWithPath: "\($0)/avahi-browse") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
    }

    /// Returns the editors in the network, or the error message from the program.
    static func services(by program: URL) -> (services: [NetworkService], failure: String?) {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = program
        process.arguments = ["--parsable", "--resolve", "--terminate", "_haptrix._tcp"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        do {
            try process.run()
        } catch {
            return ([], error.localizedDescription)
        }
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let words = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let failure = words.split(separator: "\n").first.map { String($0).asNameOfStranger }
        return (NetworkService.list(text), failure)
    }
}

// Witness: measures how long this computer stood still.

import Foundation
import Synchronization
import TestSupport

/// Threads that want to run every few milliseconds, one per processor, and note how late they wake.
///
/// A program that computes without a pause, as a simulator does, waits for its turn on a processor
/// while threads that mostly sleep get theirs at once. Linux tells how long each thread has waited:
/// this is noted too, for the programs that tests have started, and for those that these have started,
/// such as the server of a board.
final class Witness: Sendable {
    static let shared = Witness()

    /// The time between two looks, in microseconds.
    private static let interval: Int64 = 5_000
    /// The number of looks from one at the programs to the next. Reading about them takes a millisecond.
    private static let looksPerProgram = 4

    private struct State {
        var records: [Int: StallRecord] = [:]
        /// The times at which the threads want to wake.
        var due: [Int: Int64] = [:]
    }

    /// The programs that are followed, and what Linux has reported of them.
    private struct Programs {
        /// The time for which each thread of a program has waited for a processor so far.
        var waited: [pid_t: Int64] = [:]
        /// The programs that tests or these programs have started. Some outlive what has started them.
        var all: Set<pid_t> = []
    }

    private let state = Mutex(State())
    /// Locked while Linux is asked, so that no wait is noted twice.
    private let programs = Mutex(Programs())

    private init() {
        for processor in 0..<ProcessInfo.processInfo.activeProcessorCount {
            // The numbers of the programs' threads are greater than 0.
            Thread.detachNewThread { self.watch(-processor) }
        }
    }

    /// Returns the longest stall since a time, in microseconds, with one that still lasts.
    func longestStall(since start: Int64) -> Int64 {
        notePrograms()
        let now = Self.now()
        return state.withLock { state in
            let ended = state.records.values.map { $0.longest(since: start) }
            return (ended + state.due.values.map { now - $0 }).max() ?? 0
        }
    }

    /// Returns a time of the host's clock in microseconds.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    private func watch(_ thread: Int) {
        var looks = 0
        while true {
            let due = Self.now() + Self.interval
            state.withLock { $0.due[thread] = due }
            usleep(useconds_t(Self.interval))
            let now = Self.now()
            state.withLock {
                $0.records[thread, default: StallRecord()].note(now - due, endingAt: now)
            }
            looks += 1
            if thread == 0, looks % Self.looksPerProgram == 0 { notePrograms() }
        }
    }

    private func notePrograms() {
        programs.withLock { programs in
            let now = Self.now()
            var open = Array(programs.all.union(RunningTool.processes))
            var found = Programs()
            while let program = open.popLast() {
                let threads = Self.threads(of: program)
                guard !threads.isEmpty, found.all.insert(program).inserted else { continue }
                for thread in threads {
                    let folder = "/proc/\(program)/task/\(thread)"
                    found.waited[thread] = Self.numbers("\(folder)/schedstat")
                        .dropFirst().first.map { $0 / 1_000 }
                    open += Self.numbers("\(folder)/children").map(pid_t.init)
                }
            }
            state.withLock { state in
                for (thread, time) in found.waited {
                    guard let before = programs.waited[thread] else { continue }
                    state.records[Int(thread), default: StallRecord()]
                        .note(time - before, endingAt: now)
                }
            }
            programs = found
        }
    }

    /// Returns the threads of a program; none if it has ended, or where the system does not tell.
    private static func threads(of program: pid_t) -> [pid_t] {
        guard let folder = opendir("/proc/\(program)/task") else { return [] }
        defer { closedir(folder) }
        var threads: [pid_t] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let thread = pid_t(name) { threads.append(thread) }
        }
        return threads
    }

    /// Returns the numbers in a file of the system; none if there is no such file.
    private static func numbers(_ path: String) -> [Int64] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
            .split { $0 == " " || $0 == "\n" }.compactMap { Int64($0) }
    }
}

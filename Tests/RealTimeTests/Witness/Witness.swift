// Witness: measures how long this computer stood still.

import Foundation
import Synchronization
import TestSupport

/// Threads that want to run every few milliseconds, one per processor, and note how late they wake.
///
/// A program that computes without a pause, as a simulator does, waits for its turn on a processor
/// while threads that mostly sleep get theirs at once. Linux tells how long each process has waited:
/// this is noted too, for the programs that tests have started.
final class Witness: Sendable {
    static let shared = Witness()

    /// The time between two looks, in microseconds.
    private static let interval: Int64 = 5_000

    private struct State {
        var records: [Int: StallRecord] = [:]
        /// The times at which the threads want to wake.
        var due: [Int: Int64] = [:]
        /// The time for which each process has waited for a processor so far.
        var waited: [pid_t: Int64] = [:]
    }

    private let state = Mutex(State())

    private init() {
        for processor in 0..<ProcessInfo.processInfo.activeProcessorCount {
            // The numbers of processes are greater than 0.
            Thread.detachNewThread { self.watch(-processor) }
        }
    }

    /// Returns the longest stall since a time, in microseconds, with one that still lasts.
    func longestStall(since start: Int64) -> Int64 {
        let now = Self.now()
        noteProcesses(at: now)
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
        while true {
            let due = Self.now() + Self.interval
            state.withLock { $0.due[thread] = due }
            usleep(useconds_t(Self.interval))
            let now = Self.now()
            state.withLock {
                $0.records[thread, default: StallRecord()].note(now - due, endingAt: now)
            }
            if thread == 0 { noteProcesses(at: now) }
        }
    }

    private func noteProcesses(at now: Int64) {
        let processes = RunningTool.processes
        let waited = processes.compactMap { process in Self.waited(process).map { (process, $0) } }
        state.withLock { state in
            for (process, time) in waited {
                if let before = state.waited[process] {
                    state.records[Int(process), default: StallRecord()]
                        .note(time - before, endingAt: now)
                }
                state.waited[process] = time
            }
            state.waited = state.waited.filter { processes.contains($0.key) }
        }
    }

    /// Returns how long a process has waited for a processor since its start, in microseconds; nil
    /// where the system does not tell.
    private static func waited(_ process: pid_t) -> Int64? {
        guard let file = fopen("/proc/\(process)/schedstat", "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = fread(&bytes, 1, bytes.count, file)
        let words = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: " ")
        return words.count > 1 ? Int64(words[1]).map { $0 / 1_000 } : nil
    }
}

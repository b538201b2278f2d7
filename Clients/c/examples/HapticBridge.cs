// The C client in C#, by P/Invoke, for .NET and Unity on Linux and macOS. Build the library with
//     cc -std=c11 -O2 -shared -fPIC haptic_bridge.c -lm -o libhaptic_bridge.so
// and put it next to the program, or into Assets/Plugins.
using System;
using System.Runtime.InteropServices;
using System.Text;

public sealed class HapticEngine : IDisposable
{
    const string Library = "haptic_bridge";

    [DllImport(Library)] static extern UIntPtr haptic_engine_size();
    [DllImport(Library)] static extern IntPtr haptic_engine_error(IntPtr engine);
    [DllImport(Library)] static extern double haptic_current_time();
    [DllImport(Library)] static extern int haptic_engine_start(IntPtr engine, ref Options options);
    [DllImport(Library)] static extern int haptic_engine_poll(IntPtr engine, int timeout, out Event happened);
    [DllImport(Library)] static extern int haptic_engine_request_output(IntPtr engine, uint player, double time);
    [DllImport(Library)] static extern void haptic_engine_stop(IntPtr engine);
    [DllImport(Library)]
    static extern uint haptic_engine_make_player(IntPtr engine, byte[] ahap, UIntPtr length, IntPtr options);
    [DllImport(Library)]
    static extern int haptic_player_start(IntPtr engine, uint player, double time, double offset);
    [DllImport(Library)] static extern int haptic_player_stop(IntPtr engine, uint player, double time);
    [DllImport(Library)]
    static extern int haptic_player_send_parameter(
        IntPtr engine, uint player, [MarshalAs(UnmanagedType.LPStr)] string id, double value, double time);

    [StructLayout(LayoutKind.Sequential)]
    struct Options
    {
        [MarshalAs(UnmanagedType.LPStr)] public string Port, Locality, KeyFile, Program;
    }

    public enum EventType { None, Connected, Started, Finished, Reset, Faults, Measured, Stopped, Output }

    [StructLayout(LayoutKind.Sequential)]
    public struct Event
    {
        public EventType Type;
        public uint Player, Faults;
        IntPtr text;
        UIntPtr textLength;
        public double Intensity, Sharpness;
        [MarshalAs(UnmanagedType.U1)] public bool IsPlaying;
    }

    readonly IntPtr engine = Marshal.AllocHGlobal((int)haptic_engine_size());

    public static double CurrentTime => haptic_current_time();

    public HapticEngine(string port = null)
    {
        var options = new Options { Port = port, Program = "a C# program" };
        Check(haptic_engine_start(engine, ref options));
    }

    /// <summary>Call this in each frame: at least every 0.2 s.</summary>
    public Event Poll()
    {
        Check(haptic_engine_poll(engine, 0, out var happened));
        return happened;
    }

    public uint MakePlayer(string ahap)
    {
        var text = Encoding.UTF8.GetBytes(ahap);
        var player = haptic_engine_make_player(engine, text, (UIntPtr)text.Length, IntPtr.Zero);
        return player != 0 ? player : throw Failure();
    }

    public void Start(uint player, double time = 0) => Check(haptic_player_start(engine, player, time, 0));

    public void Stop(uint player, double time = 0) => Check(haptic_player_stop(engine, player, time));

    public void SendParameter(uint player, string id, double value, double time = 0) =>
        Check(haptic_player_send_parameter(engine, player, id, value, time));

    /// <summary>Requests the output of a player, or of all players. Poll returns it as Output.</summary>
    public void RequestOutput(uint player = 0, double time = 0) =>
        Check(haptic_engine_request_output(engine, player, time));

    public void Dispose()
    {
        haptic_engine_stop(engine);
        Marshal.FreeHGlobal(engine);
    }

    void Check(int code)
    {
        if (code != 0) throw Failure();
    }

    // The members of `struct haptic_error`: code, faults, port[128], reason[512], advice[1024].
    Exception Failure()
    {
        var error = haptic_engine_error(engine);
        var reason = Marshal.PtrToStringUTF8(error + 8 + 128);
        var advice = Marshal.PtrToStringUTF8(error + 8 + 128 + 512);
        return new InvalidOperationException($"{reason}\n{advice}");
    }
}

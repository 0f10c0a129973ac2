# Varnish 7.1 (Debian 12) or later before several instances of posed, as a cache: README.md says how requests are placed and repeated.
#
#   sh varnish-backends.sh 10.0.0.1:7878 10.0.0.2:7878 > /etc/varnish/posed-backends.vcl
#   varnishd -a :8080 -f /etc/varnish/varnish.vcl -p vcl_path=/etc/varnish -p http_gzip_support=off -p backend_idle_timeout=30
#
# http_gzip_support=off: posed compresses by itself, and what Varnish unpacks would have another ETag.
vcl 4.1;
import directors;
import std;

probe posed_ready {
    .request = "GET /readyz HTTP/1.1" "Host: localhost" "Connection: close";
    .interval = 500ms;
    .timeout = 2s;
    .window = 2;
    .threshold = 2;
    .initial = 2;
}

# The instances, and `posed`, the director that places models on them.
include "posed-backends.vcl";

sub vcl_recv {
    # What is placed by: route=, else model=, as written. Requests without either, such as listings, go anywhere.
    if (req.url ~ "[?&]route=[^&]") {
        set req.http.X-Posed-Route = regsub(req.url, "^.*?[?&]route=([^&]*).*$", "\1");
    } else if (req.url ~ "[?&]model=[^&]") {
        set req.http.X-Posed-Route = regsub(req.url, "^.*?[?&]model=([^&]*).*$", "\1");
    } else {
        set req.http.X-Posed-Route = req.xid;
    }
    if (req.http.X-Request-Id !~ "^[A-Za-z0-9._-]{1,64}$") {
        set req.http.X-Request-Id = "varnish-" + req.xid;
    }
    set req.http.X-Forwarded-Host = req.http.Host;
    unset req.http.Cookie;

    if (req.http.Upgrade ~ "(?i)websocket") {
        set req.backend_hint = posed.backend(by=KEY, key=posed.key(req.http.X-Posed-Route));
        return (pipe);
    }
    # One spelling of what clients commonly send, so that they share a response in the cache. Weights stay as they are.
    if (req.http.Accept-Encoding && req.http.Accept-Encoding !~ ";") {
        if (req.http.Accept-Encoding ~ "(^|[, ])zstd([, ]|$)") {
            set req.http.Accept-Encoding = "zstd";
        } else if (req.http.Accept-Encoding ~ "(^|[, ])gzip([, ]|$)") {
            set req.http.Accept-Encoding = "gzip";
        } else {
            unset req.http.Accept-Encoding;
        }
    }
    # A POST is a question with its parameters in the body, which is kept so that it can be repeated.
    if (req.method == "POST" && std.integer(req.http.Content-Length, 0) > 0 && std.integer(req.http.Content-Length, 0) <= 1048576) {
        std.cache_req_body(1MB);
    }
    if (req.method != "GET" && req.method != "HEAD") {
        return (pass);
    }
    # The built-in rules follow: what has a token is passed on, so that a token that no longer holds gets nothing from the cache.
}

sub vcl_pipe {
    set bereq.http.Upgrade = req.http.Upgrade;
    set bereq.http.Connection = req.http.Connection;
}

sub vcl_backend_fetch {
    set bereq.backend = posed.backend(by=KEY, key=posed.key(bereq.http.X-Posed-Route), alt=bereq.retries);
}

sub vcl_backend_response {
    # Kept is what says for how long it holds: responses with hash=, and others where --cache-control says so. All others go to posed
    # with the client's If-None-Match, side by side.
    if (beresp.http.Cache-Control ~ "(?i)no-cache|no-store|private" || beresp.status >= 400) {
        return (pass(60s));
    }
    if (beresp.http.Cache-Control ~ "immutable") {
        set beresp.grace = 30d;
    }
}

# Questions are repeated on the next instance; PUT and DELETE never.
sub vcl_backend_error {
    if (bereq.retries < 3 && (bereq.method == "GET" || bereq.method == "HEAD" || bereq.method == "POST")) {
        return (retry);
    }
}

sub vcl_deliver {
    # One from the cache has the id of the request which fetched it.
    set resp.http.X-Request-Id = req.http.X-Request-Id;
    set resp.http.X-Cache = obj.hits;
    unset resp.http.X-Varnish;
    unset resp.http.Via;
}
